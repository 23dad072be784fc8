import TestSupport
import Testing

/// Apps of phones that send by WebDAV, to the server that the article *Automatic upload from phones* shows.
@Suite(.enabled(if: Workspace.isRoot, "needs root, to become another user and to trust a certificate"))
struct AutomaticUploadTests {
  /// The block of code in the article with some words, for an address and a port that are free here.
  private func block(with words: String) throws -> String {
    let root = #filePath.split(separator: "/").dropLast(4).reduce("") { $0 + "/" + $1 }
    let article = try HostFile.read(root + "/Sources/agonyfs/agonyfs.docc/AutomaticUpload.md")
    let parts = String(decoding: article, as: UTF8.self).split(separator: "\n```", omittingEmptySubsequences: false)
    let found = stride(from: 1, to: parts.count, by: 2).map { parts[$0] }.first { $0.contains(words) }
    return try #require(found).split(separator: "\n").drop { $0 == "sh" || $0.hasPrefix("agonyfs ") }
      .joined(separator: "\n")
  }

  /// As the article says, in a private session: cadaver and curl send over TLS, and a phone leaves in the middle.
  @Test func whatPhonesSendIsInTheSpaceAndNowhereElse() throws {
    let setup = try block(with: "htpasswd")
    let configuration = try block(with: "LoadModule")
    try expectSuccess(
      as: .user,
      #"""
      mkdir -p home/run client
      chown 65534:65534 home/run
      cat > home/apache.conf << 'END'
      \#(configuration)
      END
      { echo 'set -eux'; sed 's/192\.168\.1\.20/127.0.0.1/g; s/htpasswd /&-i /'; } > home/setup << 'END'
      \#(setup)
      END
      cat > home/work << 'END'
      echo 'a long word' | sh ~/setup
      # Below those that the kernel gives to others. One that is taken ends Apache.
      for port in $(shuf -i 20000-32000 -n 10) none; do
        test $port != none || exit 1
        sed "s/^Listen .*/Listen 127.0.0.1:$port/" ~/apache.conf > .webdav/apache.conf
        ! /usr/sbin/apache2 -f "$PWD/.webdav/apache.conf" || break
      done
      cp .webdav/cert.pem "$1/"
      echo $port > "$1/port"
      until test -e "$1/go"; do sleep 0.05; done
      cp .webdav/errors "$1/"
      ls -A Phones Phones/mine > "$1/listed"
      END
      person env XDG_RUNTIME_DIR="$W/home/run" ./program run --require-private --password-file password --keep kept \
        home/Vault sh "$W/home/work" "$W/kept" & session=$!
      # A server that does not start has ended.
      starts() { ends $session || test -s kept/port; }
      wait_for 600 'the server starts' starts
      port=$(cat kept/port)
      url=https://127.0.0.1:$port/mine
      ask() { curl -sS --fail --noproxy '*' --cacert kept/cert.pem --netrc-file client/.netrc -o client/answer "$@"; }
      echo 'machine 127.0.0.1 login phone password "a long word"' > client/.netrc
      answers() { ends $session || ask -X PROPFIND -H 'Depth: 0' $url/; }
      wait_for 600 'the server answers' answers
      # Without the password there is nothing.
      gives 22 curl -sS --fail --noproxy '*' --cacert kept/cert.pem $url/

      vips gaussnoise client/1.jpg 640 480 --seed 1
      vips gaussnoise client/2.jpg 640 480 --seed 2
      cat > client/commands << 'END'
      mkcol wombat-album
      cd wombat-album
      put client/1.jpg wombat-1.jpg
      put client/2.jpg wombat-1.jpg
      move wombat-1.jpg wombat-2.jpg
      put client/1.jpg wombat-1.jpg
      copy wombat-1.jpg wombat-3.jpg
      get wombat-2.jpg client/back.jpg
      delete wombat-3.jpg
      quit
      END
      mount --bind kept/cert.pem /etc/ssl/certs/ca-certificates.crt
      HOME=$W/client cadaver -r client/commands $url/ < /dev/null
      umount /etc/ssl/certs/ca-certificates.crt
      cmp client/back.jpg client/2.jpg

      head -c 3000000 /dev/urandom > client/large
      ask -T client/large $url/wombat.mp4
      for name in wombat.mp4 wombat-cut.mp4; do
        python3 - $port /mine/$name << 'END'
      import base64, socket, ssl, sys
      trust = ssl.create_default_context(cafile="kept/cert.pem")
      line = trust.wrap_socket(socket.create_connection(("127.0.0.1", int(sys.argv[1]))), server_hostname="127.0.0.1")
      word = base64.b64encode(b"phone:a long word").decode()
      line.sendall(f"PUT {sys.argv[2]} HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Basic {word}\r\n"
                   "Content-Length: 9000000\r\n\r\n".encode() + bytes(4000000))
      line.shutdown(socket.SHUT_WR)
      # It ends when the server has noticed.
      while line.recv(65536): pass
      END
      done
      ask $url/wombat.mp4
      cmp client/answer client/large
      gives 22 ask $url/wombat-cut.mp4
      touch kept/go
      wait $session
      ended
      test "$(cat kept/listed)" = "$(printf 'Phones:\nmine\n\nPhones/mine:\nwombat-album\nwombat.mp4')"
      grep -q wombat-cut.mp4 kept/errors

      cp client/large client/1.jpg client/2.jpg .
      rm -r client kept home/work
      not left wombat
      test "$(ls -A home home/run | tr '\n' ' ')" = 'home: Vault apache.conf run setup  home/run: '
      mount_it
      person cmp Albums/Phones/mine/wombat.mp4 large
      person cmp Albums/Phones/mine/wombat-album/wombat-1.jpg 1.jpg
      person cmp Albums/Phones/mine/wombat-album/wombat-2.jpg 2.jpg
      test "$(person ls -A Albums/Phones/mine/wombat-album | tr '\n' ' ')" = 'wombat-1.jpg wombat-2.jpg '
      unmount_it
      person ./program check --read-data --password-file password home/Vault
      """#)
  }
}
