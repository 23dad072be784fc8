import Testing

/// Sessions of `agonyfs serve` that end in other ways than by the lock button, and programs that do not do what agonyfs
/// does.
@Suite(.enabled(if: WebDriver.program != nil, "AGONYFS_TEST_WEB names no agonyfs-web")) struct WebSessionTests {
  @Test func aPhoneWithAnotherAddressCanLock() throws {
    try WebDriver.expectSuccess(
      """
      server = Server()
      browser = server.browser()
      assert browser.login() == 204 and len(mounts()) == 1
      moved = Browser(server, "127.0.0.2")
      moved.cookies = dict(browser.cookies)
      assert b'"locked":true' in moved.ask("GET", "/api/state")[2]
      assert len(mounts()) == 1
      assert moved.lock() == 204
      assert mounts() == []
      assert b'"locked":true' in browser.ask("GET", "/api/state")[2]
      """)
  }

  /// Cookies of this host are sent to all its ports.
  @Test(.enabled(if: Workspace.isRoot, "needs another user")) func anotherUserOfTheMachineHasNoUseForCookies() throws {
    try WebDriver.expectSuccess(
      """
      server, browser = logged_in()
      def answer(user):
          reading, writing = os.pipe()
          if os.fork() == 0:
              os.setresuid(user, user, user)
              status, headers, body = browser.ask("GET", "/api/state")
              os.write(writing, f"{status} {len(headers)} {body}".encode())
              os._exit(0)
          os.close(writing)
          os.wait()
          return os.read(reading, 1000)
      assert answer(0).startswith(b"200 ")
      assert answer(12345) == b"404 2 b''"
      assert browser.lock() == 204
      # Nor for the password.
      assert answer(12345) == b"404 2 b''"
      """)
  }

  @Test func aMountThatGoesAwayEndsItsSession() throws {
    try WebDriver.expectSuccess(
      """
      server = Server()
      browser = server.browser()
      for number in (1, 2):
          assert browser.login() == 204
          assert browser.ask("GET", "/api/sections")[0] == 200
          if number == 1:
              assert agonyfs("unmount", "--force", mounts()[0]).returncode == 0
          else:
              for daemon in daemons(): os.kill(daemon, signal.SIGKILL)
              wait_for("the end of the mount", lambda: browser.ask("GET", "/api/albums")[0] != 200)
          status, _, body = browser.ask("GET", "/api/sections")
          assert (status, b"not mounted" in body) == (503, True) or status == 401, (status, body)
          assert browser.ask("GET", "/api/sections")[0] == 401
          assert b'"locked":true' in browser.ask("GET", "/api/state")[2]
          assert mounts() == []
      # Who only asks for the state learns it, too.
      assert browser.login() == 204
      assert agonyfs("unmount", "--force", mounts()[0]).returncode == 0
      assert b'"locked":true' in browser.ask("GET", "/api/state")[2]
      assert browser.login() == 204
      assert server.end() == 0 and mounts() == []
      """)
  }

  /// In the middle of a picture, a download and an upload, which goes on after the next login. A daemon that is killed takes
  /// the last second with it; then the upload may begin anew.
  @Test(arguments: [false, true]) func aMountThatGoesAwayInTheMiddle(isKilled: Bool) throws {
    let how = isKilled ? "os.kill(daemon, signal.SIGKILL)" : "agonyfs(\"unmount\", \"--force\", root)"
    try WebDriver.expectSuccess(
      """
      server, browser = logged_in()
      snapshot = with_picture(browser, UNREAD)
      root = mounts()[0]
      daemon = int(subprocess.run(["pgrep", "-f", f"^agonyfs mount .*{root}"], capture_output=True).stdout.split()[0])
      fields = browser.fields()
      tus = {"Tus-Resumable": "1.0.0", "Content-Type": "application/offset+octet-stream"}
      content = os.urandom(6 << 20)
      def uploading():
          return browser.ask("POST", "/api/upload", b"", {
              **tus, "Upload-Length": str(len(content)), "Upload-Metadata": "filename eC5qcGc="})[1]["Location"]
      place = uploading()
      assert browser.ask("PATCH", place, content[:1 << 20], {**tus, "Upload-Offset": "0"})[0] == 204
      def begun(request, body=b""):
          return browser.opened(f"{request} HTTP/1.1\\r\\n{fields}\\r\\n".encode() + body)
      original = f"GET /api/item/{snapshot}/0/original"
      # Both are larger than what the kernel takes for one who reads nothing.
      reading = [begun(original), begun(original + "?download=1")]
      seen = [bytearray(each.sock.recv(1 << 16)) for each in reading]
      assert all(part.startswith(b"HTTP/1.1 200") for part in seen), seen
      fields += "Content-Type: application/offset+octet-stream\\r\\nTus-Resumable: 1.0.0\\r\\nUpload-Offset: 1048576\\r\\n"
      fields += f"Content-Length: {len(content) - (1 << 20)}\\r\\n"
      sending = begun("PATCH " + place, content[1 << 20:3 << 20])
      \(how)
      wait_for("the end of the mount", lambda: mounts() == [] or browser.ask("GET", "/api/albums")[0] != 200)
      # Nothing that is cut off looks whole, and each one ends. What was on its way already may come whole.
      for each, part in zip(reading, seen):
          head, _, body = bytes(part).partition(b"\\r\\n\\r\\n")
          length = int(re.search(rb"(?i)content-length: (\\d+)", head)[1])
          try:
              while len(body) < length and (more := each.sock.recv(1 << 20)): body += more
          except (ConnectionError, ssl.SSLError): pass
          assert len(body) < length or body == browser.picture, (len(body), length)
      try:
          sending.sock.sendall(content[3 << 20:])
          answer = sending.sock.recv(1 << 16)
      except (ConnectionError, ssl.SSLError): answer = b""
      assert not answer.startswith(b"HTTP/1.1 2"), answer
      assert browser.login() == 204
      status, headers, _ = browser.ask("HEAD", place, None, tus)
      if status == 404 and \(isKilled ? "True" : "False"): place, offset = uploading(), 0
      else:
          offset = int(headers["Upload-Offset"])
          assert \(isKilled ? "0" : "1 << 20") <= offset <= 3 << 20, offset
      status, headers, _ = browser.ask("PATCH", place, content[offset:], {**tus, "Upload-Offset": str(offset)})
      assert (status, headers["Agonyfs-Verified"]) == (204, "1"), (status, headers)
      assert open(mounts()[0] + "/x.jpg", "rb").read() == content
      assert browser.lock() == 204 and mounts() == []
      assert server.end() == 0
      """)
  }

  @Test func aGivenMountThatIsGoneSaysNothingOfPasswords() throws {
    try WebDriver.expectSuccess(
      """
      assert agonyfs("mount", "Vault", "Albums", text=ONE + "\\n").returncode == 0
      server = Server("Albums")
      browser = server.browser()
      assert agonyfs("unmount", "--force", "Albums").returncode == 0
      answers = {browser.ask("POST", "/login", word)[0::2] for word in (ONE, "wrong")}
      assert answers == {(500, b'{"error":"cannot-open","detail":"The space cannot be opened; the server\\'s terminal shows why."}')}, answers
      """)
  }

  @Test func withAGivenMountAllFailuresAreAWrongPassword() throws {
    try WebDriver.expectSuccess(
      """
      assert agonyfs("mount", "Vault", "Albums", text=ONE + "\\n").returncode == 0
      script = "read word; case $word in none) exit 12;; used) exit 15;; *) echo bad >&2; exit 1; esac"
      server = Server("Albums", program=script)
      answers = set()
      for word in ("none", "used", "damaged"):
          status, headers, body = server.browser().ask("POST", "/login", word)
          answers.add((status, body, tuple(sorted(set(headers) - {"Date"}))))
      assert len(answers) == 1, answers
      assert answers.pop()[:2] == (403, b'{"error":"wrong-password","detail":""}')
      """)
  }

  @Test func whatIsNotProvenOrNotMountedIsNotServed() throws {
    try WebDriver.expectSuccess(
      """
      # It says that it mounted, and did not.
      server = Server(program="exit 0")
      assert server.browser().login() == 500
      assert server.end() == 0
      # Another mount is at the place by the time that it is opened.
      assert agonyfs("mount", "Vault", "Albums", text=ONE + "\\n").returncode == 0
      daemon = os.getxattr("Albums", "system.agonyfs.daemon").decode()
      os.mkdir("Other")
      for place, says, status in [("Albums", daemon, 204), ("Albums", "1" + daemon, 409), ("Other", daemon, 409)]:
          server = Server(program=f"echo $PWD/{place}; echo {says}; exit 15")
          assert server.browser().login() == status, (place, says)
          assert server.end() == 0
      """)
  }

  @Test func aProgramThatHangsDoesNotHoldTheEnd() throws {
    try WebDriver.expectSuccess(
      """
      server = Server(program="case $1 in mount) : > begun; exec sleep 1000; esac")
      browser = server.browser()
      if os.fork() == 0:
          try: browser.login()
          finally: os._exit(0)
      wait_for("the mount", lambda: os.path.exists("begun"))
      assert server.end(signal.SIGINT) == 0
      assert not [name for name in os.listdir(".") if name.startswith("agonyfs-web.")]
      """)
  }

  @Test func whatCannotBeTakenAwayIsSaid() throws {
    try WebDriver.expectSuccess(
      """
      # It has a session of its own, so that Ctrl-C at the terminal does not end it.
      script = f'''case $1 in
      unmount) [ $(cut -d" " -f6 /proc/$$/stat) = $$ ] && printf "its \\\\033[31mdaemon hangs.\\\\n" >&2; exit 1;;
      *) exec '{os.environ["AGONYFS"]}' "$@"; esac'''
      server = Server(program=script)
      assert server.browser().login() == 204
      place = mounts()[0]
      assert server.end(signal.SIGINT) == 1
      said = server.text().splitlines()[-1]
      assert place in said and "its \\ufffd[31mdaemon hangs." in said, said
      assert agonyfs("unmount", "--force", place).returncode == 0
      # The next one removes what is left.
      server = Server()
      assert server.end() == 0
      assert not [name for name in os.listdir(".") if name.startswith("agonyfs-web.")]
      """)
  }

  @Test func theCertificateSaysThePrintedAddressAlone() throws {
    try WebDriver.expectSuccess(
      """
      server = Server("Vault", "--certificate-folder", "ca")
      context = ssl.create_default_context(cafile="ca/ca.pem")
      with socket.create_connection(("127.0.0.1", server.port)) as plain:
          with context.wrap_socket(plain, server_hostname="127.0.0.1") as secure:
              shown = secure.getpeercert()
              assert shown["subjectAltName"] == (("IP Address", "127.0.0.1"),), shown
              whole = secure.getpeercert(True)
      name = socket.gethostname().encode()
      authority = ssl.PEM_cert_to_DER_cert(open("ca/ca.pem").read())
      assert name not in whole and name not in authority
      # Nor the name of the program, which somebody may look for in a whole network.
      assert b"agonyfs" not in whole.lower() and b"agonyfs" not in authority.lower()
      """)
  }

  /// Authorities of before are named after the program; phones trust them.
  @Test func anAuthorityWithAnOldNameStaysValid() throws {
    try WebDriver.expectSuccess(
      """
      os.mkdir("ca", 0o700)
      subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes",
          "-keyout", "ca/ca-key.pem", "-out", "ca/ca.pem", "-subj", "/CN=agonyfs 1A2B3C4D", "-days", "30",
          "-addext", "keyUsage=critical,keyCertSign"], check=True, capture_output=True)
      before = open("ca/ca.pem").read()
      server = Server("Vault", "--certificate-folder", "ca")
      context = ssl.create_default_context(cafile="ca/ca.pem")
      with socket.create_connection(("127.0.0.1", server.port)) as plain:
          with context.wrap_socket(plain, server_hostname="127.0.0.1") as secure:
              shown = secure.getpeercert()
      assert shown["issuer"] == ((("commonName", "agonyfs 1A2B3C4D"),),), shown
      assert shown["subject"] == ((("commonName", "localhost"),),), shown
      assert open("ca/ca.pem").read() == before
      """)
  }
}
