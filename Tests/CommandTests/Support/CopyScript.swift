/// Functions for scripts of tests that copy vaults.
enum CopyScript {
  /// `same VAULT COPY` compares all files and names. `write NAME SIZE` writes a file in the space of `Vault`, and
  /// `opens COPY` expects all files there.
  static let functions = """
    sums() { (cd $1 && find segments agonyfs.json -type f | sort | xargs sha256sum); }
    same() { sums $1 > first; sums $2 > second; cmp first second; }
    write() {
      agonyfs mount --password-file password Vault Albums
      head -c $2 /dev/urandom > Albums/$1
      sha256sum Albums/* > written
      agonyfs unmount Albums
    }
    opens() {
      agonyfs check --read-data --password-file password $1
      agonyfs mount --password-file password $1 Albums
      sha256sum --quiet -c written
      echo more > Albums/more
      agonyfs unmount Albums
    }

    """

  /// A loopback server; `$port` is its port. It ends when the shell closes descriptor 9.
  static let server: String = {
    let root = #filePath.split(separator: "/").dropLast(3).reduce("") { $0 + "/" + $1 }
    return """
      unset AWS_PROFILE AWS_SESSION_TOKEN AWS_ENDPOINT_URL AWS_REGION AWS_DEFAULT_REGION AWS_CA_BUNDLE
      export AWS_ACCESS_KEY_ID=AKIATEST AWS_SECRET_ACCESS_KEY=test/secret+key
      mkfifo orders
      python3 -B '\(root)/ObjectServer/object_server.py' < orders > answers &
      store=$!
      exec 9> orders
      has_port() { test -s answers || ends $store; }
      wait_for 60 'the server has a port' has_port
      test -s answers || { echo 'the server ended before it had a port' >&2; exit 1; }
      port=$(head -n 1 answers)
      order() {
        before=$(wc -l < answers)
        echo "$*" >&9
        has_answer() { test $(wc -l < answers) -gt $before; }
        wait_for 60 'an answer' has_answer
      }
      copy() { agonyfs copy --endpoint http://127.0.0.1:$port "$@"; }

      """
  }()

  /// All functions for the two gateways of a real engine, `$first` and `$second`, and `$to`, a place in a bucket.
  /// `copy GATEWAY FROM TO` and `update GATEWAY VAULT TO` copy and sync through one of them. `mount_back GATEWAY COPY`
  /// copies the vault back, and mounts the copy, which has all that was `promised`, read-only in `Copied`.
  static let gateways =
    CrashLoad.functions + functions + """
      unset AWS_PROFILE AWS_SESSION_TOKEN AWS_ENDPOINT_URL AWS_REGION AWS_DEFAULT_REGION AWS_CA_BUNDLE
      first=$(echo "$AGONYFS_TEST_S3" | cut -d , -f 1)
      second=$(echo "$AGONYFS_TEST_S3" | cut -d , -f 2)
      AWS_ACCESS_KEY_ID=$(echo "$AGONYFS_TEST_S3" | cut -d , -f 3)
      AWS_SECRET_ACCESS_KEY=$(echo "$AGONYFS_TEST_S3" | cut -d , -f 4)
      export AWS_ACCESS_KEY_ID AWS_SECRET_ACCESS_KEY
      # A store keeps it until all tests have ended, and other tests have other names.
      to=s3://photos/$(basename "$W")
      copy() { endpoint=$1; shift; agonyfs copy --endpoint $endpoint "$@"; }
      update() { endpoint=$1; shift; agonyfs sync --endpoint $endpoint "$@"; }
      mount_back() {
        copy $1 $to $2
        agonyfs check --read-data --password-file password $2
        mkdir -p Copied
        agonyfs mount -o ro --password-file password $2 Copied
        verify Copied promised
      }

      """
}
