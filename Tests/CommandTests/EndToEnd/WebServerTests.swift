import Testing

/// `agonyfs serve`, by requests as a browser or an attacker sends them.
@Suite(.enabled(if: WebDriver.program != nil, "AGONYFS_TEST_WEB names no agonyfs-web")) struct WebServerTests {
  @Test func whoIsNotPairedGetsABlankAnswer() throws {
    try WebDriver.expectSuccess(
      """
      server = Server()
      path, secret = server.code
      stranger = Browser(server)
      def shape(answer):
          status, headers, body = answer
          return status, sorted(name for name in headers), headers["Content-Length"], body
      blank = (404, ["Content-Length", "Date"], "0", b"")
      for method, where in [("GET", "/"), ("GET", "/" + "0" * 32), ("GET", "/assets/style.css"), ("POST", "/login"),
                            ("GET", "/api/state"), ("POST", "/lock"), ("PUT", "/x"), ("GET", "/%2e%2e/etc/passwd")]:
          assert shape(stranger.ask(method, where, "x" if method == "POST" else None)) == blank, where
      assert shape(stranger.ask("POST", "/pair", "0" * 32)) == blank
      assert shape(stranger.ask("POST", "/pair", secret * 3)) == blank
      # Of another origin, or by another name for this machine.
      for fields in [{"Origin": "https://evil.example"}, {"X-Agonyfs": None}, {"Origin": None},
                     {"Sec-Fetch-Site": "same-site"}, {"Host": f"evil.example:{server.port}"}]:
          assert shape(stranger.ask("POST", "/pair", secret, fields)) == blank, fields
      assert shape(stranger.ask("GET", "/" + path, None, {"Host": "evil.example"})) == blank
      assert shape(stranger.ask("GET", "/" + path + "?main.js")) == blank
      assert mounts() == []
      browser = server.browser()
      # The code was used.
      assert shape(stranger.ask("POST", "/pair", secret)) == blank
      assert shape(stranger.ask("GET", "/" + path)) == blank
      assert browser.ask("GET", "/")[0] == 200
      """)
  }

  /// A large upload ends with a flush that takes minutes: the page answers beside it. strace has it take for ever.
  @Test(.enabled(if: Workspace.isRoot, "needs root, to trace a program that takes a password"))
  func theEndOfUploadsStopsNoPage() throws {
    try WebDriver.expectSuccess(
      #"""
      assert agonyfs("mount", "Vault", "Albums", text=ONE).returncode == 0
      with open("slow", "w") as file: file.write(f'''#!/bin/sh
      exec strace -f -qq --seccomp-bpf -o /dev/null -e trace=fsync -e inject=fsync:delay_enter=3000000000 \\
        {os.environ["AGONYFS_WEB"]} "$@"
      ''')
      os.chmod("slow", 0o700)
      os.environ["AGONYFS_WEB"] = ENVIRONMENT["AGONYFS_WEB"] = os.path.abspath("slow")
      server = Server("Albums")
      @atexit.register
      def stop():
          try: os.killpg(server.process.pid, signal.SIGKILL)
          except ProcessLookupError: pass
      browser = server.browser()
      assert browser.login() == 204
      def upload(name):
          sender = Browser(server)
          sender.cookies = dict(browser.cookies)
          fields = {"Tus-Resumable": "1.0.0", "Upload-Length": "5",
                    "Upload-Metadata": "filename " + base64.b64encode(name.encode()).decode() + ",album "}
          status, headers, body = sender.ask("POST", "/api/upload", None, fields)
          assert status == 201, (status, body)
          try:
              sender.ask("PATCH", headers["Location"], b"photo", {
                  "Tus-Resumable": "1.0.0", "Upload-Offset": "0", "Content-Type": "application/offset+octet-stream"})
          except (ConnectionError, http.client.HTTPException):
              pass
      senders = [threading.Thread(target=upload, args=(name,), daemon=True) for name in ("a", "b", "c")]
      for sender in senders: sender.start()
      # A file has its name in the album before the flush.
      wait_for("three uploads", lambda: {"a", "b", "c"} <= set(os.listdir("Albums")))
      for path in ["state", "albums", "sections", "suggest?q=a"]:
          status, _, body = browser.ask("GET", "/api/" + path)
          assert status == 200, (path, status, body)
      assert all(sender.is_alive() for sender in senders)
      stop()
      for sender in senders: sender.join(600)
      wait_for("the mount's end", lambda: agonyfs("unmount", "Albums").returncode == 0)
      """#)
  }

  @Test func aSpaceIsMountedWhileItIsUsed() throws {
    try WebDriver.expectSuccess(
      """
      server = Server()
      browser = server.browser()
      assert browser.ask("GET", "/api/sections")[0] == 401
      assert b'"locked":true' in browser.ask("GET", "/api/state")[2]
      for wrong in ["", ONE + "\\n", "x" * 5000]:
          status, _, body = browser.ask("POST", "/login", wrong)
          assert (status, body) == (403, b'{"error":"wrong-password","detail":""}'), (wrong[:9], status, body)
      assert browser.ask("POST", "/login", "x" * 9000)[0] == 413
      assert mounts() == []
      assert browser.login() == 204
      assert len(mounts()) == 1
      assert os.stat(os.path.dirname(mounts()[0])).st_mode & 0o77 == 0
      status, headers, body = browser.ask("GET", "/api/state")
      assert (status, body) == (200, b'{"locked":false,"readOnly":false,"idleSeconds":600,"downloads":0}'), body
      assert headers["Cache-Control"] == "no-store" and "default-src 'none'" in headers["Content-Security-Policy"]
      # Neither another pairing nor another address has the session.
      thief = server.browser()
      thief.cookies["__Host-session"] = browser.cookies["__Host-session"]
      assert b'"locked":true' in thief.ask("GET", "/api/state")[2]
      elsewhere = Browser(server, "127.0.0.2")
      elsewhere.cookies = dict(browser.cookies)
      assert b'"locked":true' in elsewhere.ask("GET", "/api/state")[2]
      # Nor a page of another origin.
      for fields in [{"Sec-Fetch-Site": "same-site"}, {"Sec-Fetch-Site": "cross-site"}]:
          assert browser.ask("GET", "/api/state", None, fields)[0] == 403
      assert browser.ask("POST", "/lock", None, {"Origin": "https://127.0.0.1:1"})[0] == 403
      assert len(mounts()) == 1
      # The program that everybody can see has no password in its arguments. What other tests start has a W of theirs, and
      # none in the moment in which it is executed; their scripts are arguments, and begin with it.
      own = b"W=" + os.environ["W"].encode()
      for entry in filter(str.isdigit, os.listdir("/proc")):
          try:
              given = open(f"/proc/{entry}/environ", "rb").read().split(b"\\0")
              if own not in given and (given == [b""] or any(part.startswith(b"W=") for part in given)): continue
              line = open(f"/proc/{entry}/cmdline", "rb").read().replace(b"\\0", b" ")
              if b" -c W='" in line and os.environ["W"].encode() not in line: continue
              assert ONE.encode() not in line
          except (FileNotFoundError, ProcessLookupError, PermissionError): pass
      assert browser.lock() == 204
      assert mounts() == []
      assert browser.ask("GET", "/api/sections")[0] == 401
      assert server.end() == 0
      assert not [name for name in os.listdir(".") if name.startswith("agonyfs-web.")]
      """)
  }

  @Test func sessionsOfOneSpaceShareAMount() throws {
    try WebDriver.expectSuccess(
      """
      add_space()
      server = Server()
      one, two, three = server.browser(), server.browser(), server.browser()
      assert (one.login(), two.login(), three.login(OTHER)) == (204, 204, 204)
      assert len(mounts()) == 2
      assert one.lock() == 204 and len(mounts()) == 2
      assert b'"locked":false' in two.ask("GET", "/api/state")[2]
      assert two.lock() == 204 and len(mounts()) == 1
      assert three.login(ONE) == 204
      assert len(mounts()) == 1
      assert server.end() == 0 and mounts() == []
      """)
  }

  @Test func aMountThatWasThereIsUsedAndStays() throws {
    try WebDriver.expectSuccess(
      """
      add_space()
      assert agonyfs("mount", "Vault", "Albums", text=ONE + "\\n").returncode == 0
      server = Server()
      browser = server.browser()
      assert browser.login() == 204 and mounts() == []
      assert browser.lock() == 204 and len(mounts("Albums")) == 1
      assert server.end() == 0
      # By its mount, that space alone is shown.
      server = Server("Albums")
      browser = server.browser()
      assert browser.login(OTHER) == 403 and browser.login() == 204 and mounts() == []
      assert server.end() == 0 and len(mounts("Albums")) == 1
      """)
  }

  /// Each takes about a second and much memory, and others wait for it.
  @Test func everyLoginDerivesOneKey() throws {
    try WebDriver.expectSuccess(
      """
      add_space()
      count = ENVIRONMENT["AGONYFS_TEST_DERIVATION_COUNT"] = os.path.abspath("derivations")
      server = Server()
      one, two, three = server.browser(), server.browser(), server.browser()
      def logs_in(browser, password=ONE):
          open(count, "w").close()
          return browser.login(password), os.path.getsize(count)
      assert logs_in(one) == (204, 1)
      assert logs_in(two) == (204, 1) and len(mounts()) == 1
      assert logs_in(three, "neither") == (403, 1)
      # What the table of mounts calls otherwise is found, too.
      for options in ("ro", "fsname=x", "subtype=x"):
          assert agonyfs("mount", "-o", options, "Vault", "Albums", text=OTHER + "\\n").returncode == 0
          assert logs_in(three, OTHER) == (204, 1), options
          assert len(mounts()) == 1 and three.lock() == 204
          wait_for("the end of the session", lambda: agonyfs("unmount", "Albums").returncode == 0)
      assert server.end() == 0
      # By its mount a space is only looked for there.
      assert agonyfs("mount", "Vault", "Albums", text=OTHER + "\\n").returncode == 0
      server = Server("Albums")
      browser = server.browser()
      assert logs_in(browser, OTHER) == (204, 1)
      assert logs_in(browser, ONE) == (403, 1)
      assert logs_in(browser, "neither") == (403, 1)
      assert server.end() == 0
      """)
  }

  @Test func nothingStaysMountedAfterTheServer() throws {
    try WebDriver.expectSuccess(
      """
      server = Server()
      assert server.browser().login() == 204
      assert server.end(signal.SIGINT) == 0 and mounts() == []
      server = Server()
      assert server.browser().login() == 204
      assert server.end(signal.SIGKILL) == -signal.SIGKILL
      assert len(mounts()) == 1
      server = Server()
      assert mounts() == []
      # After its idle time a session ends by itself.
      assert server.end() == 0
      server, browser = logged_in("Vault", "--idle", "1s")
      wait_for("the lock", lambda: mounts() == [])
      assert b'"locked":true' in browser.ask("GET", "/api/state")[2]
      """)
  }

  @Test func theAuthorityInAFolderIsTrusted() throws {
    try WebDriver.expectSuccess(
      """
      server = Server("Vault", "--certificate-folder", "ca")
      assert os.stat("ca/ca-key.pem").st_mode & 0o777 == 0o600
      def trusted():
          context = ssl.create_default_context(cafile="ca/ca.pem")
          connection = http.client.HTTPSConnection("127.0.0.1", server.port, context=context)
          connection.request("GET", "/")
          return connection.getresponse().status
      assert trusted() == 404
      server.end()
      before = open("ca/ca.pem").read()
      server = Server("Vault", "--certificate-folder", "ca")
      assert trusted() == 404 and open("ca/ca.pem").read() == before
      server.end()
      os.chmod("ca/ca-key.pem", 0o644)
      refused = agonyfs("serve", "--certificate-folder", "ca", "Vault")
      assert refused.returncode == 1 and "Other users may read" in refused.stderr, refused
      """)
  }

  @Test func pathsAreBytes() throws {
    try WebDriver.expectSuccess(
      """
      vault, place = b"Vault \\xe4", b"Albums \\xfc\\xff"
      os.rename("Vault", vault)
      os.mkdir(place)
      server = Server(vault, "--certificate-folder", b"new/ca \\xe4")
      assert os.stat(b"new/ca \\xe4/ca-key.pem").st_mode & 0o777 == 0o600
      browser = server.browser()
      assert browser.login() == 204 and len(mounts()) == 1
      assert browser.lock() == 204
      # Mounted at such a path, it is found there, and served from there.
      mounted = agonyfs("mount", vault, place, text=ONE + "\\n")
      assert mounted.returncode == 0, mounted
      assert browser.login() == 204 and mounts() == []
      assert server.end() == 0
      server = Server(place)
      browser = server.browser()
      assert browser.login() == 204 and browser.ask("GET", "/api/sections")[0] == 200
      assert server.end() == 0
      assert agonyfs("unmount", place).returncode == 0
      """)
  }

  @Test func whatCannotBeServedIsSaid() throws {
    try WebDriver.expectSuccess(
      """
      for words, status, sentence in [
          (["Nothing"], 10, "no vault at"), ([""], 2, "The path is empty"), (["--port", "0", "Vault"], 2, "--port takes"),
          (["--http", "--listen", "0.0.0.0", "Vault"], 2, "this machine only"), (["--listen", "here", "Vault"], 2, "address"),
          (["-o", "passfile=x", "Vault"], 2, "leave out passfile"),
          (["--idle", "soon", "Vault"], 2, "soon"), (["--listen", "192.0.2.77", "Vault"], 1, "does not have the address"),
      ]:
          answer = agonyfs("serve", *words)
          assert answer.returncode == status and sentence in answer.stderr, answer
          assert answer.stderr.count("\\n") == 1, answer
      with socket.socket() as taken:
          taken.bind(("127.0.0.1", 0))
          taken.listen()
          answer = agonyfs("serve", "--listen", "127.0.0.1", "--port", str(taken.getsockname()[1]), "Vault")
          assert answer.returncode == 1 and "Another program listens" in answer.stderr, answer
      """)
  }

  @Test func connectionsOfOneAddressLeaveRoomForOthers() throws {
    try WebDriver.expectSuccess(
      """
      server = Server()
      browser = server.browser()
      halves = []
      for _ in range(300):
          half = socket.create_connection(("127.0.0.1", server.port), source_address=("127.0.0.9", 0))
          half.sendall(b"\\x16\\x03")
          halves.append(half)
      assert browser.ask("GET", "/")[0] == 200
      # Most were closed at once.
      def closed(half):
          half.setblocking(False)
          try: return half.recv(1) == b""
          except BlockingIOError: return False
          except ConnectionError: return True
      wait_for("the connections were closed", lambda: sum(map(closed, halves)) >= 250)
      """)
  }
}
