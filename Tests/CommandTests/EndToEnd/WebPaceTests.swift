import TestSupport
import Testing

/// How long `agonyfs serve` waits for others. Its times are those of everybody: 15 s for a head, 30 s for 16 KiB of a body.
@Suite(.enabled(if: WebDriver.program != nil, "AGONYFS_TEST_WEB names no agonyfs-web")) struct WebPaceTests {
  private func expectSuccess(_ script: String, sourceLocation: SourceLocation = #_sourceLocation) throws {
    let workspace = try Workspace()
    try workspace.makeVault()
    let outcome = try WebDriver.run(workspace, script)
    #expect(outcome.status == 0, "\(outcome)", sourceLocation: sourceLocation)
  }

  @Test(.enabled(if: TestLength.isWhole, "waits for the server's limits of 30 s; with scripts/test --all"))
  func whoSendsByteByByteIsCutOff() throws {
    try expectSuccess(
      #"""
      server = Server()
      browser = server.browser()
      cookies = "; ".join(f"{k}={v}" for k, v in browser.cookies.items())
      fields = f"Host: 127.0.0.1:{server.port}\r\nX-Agonyfs: 1\r\nSec-Fetch-Site: same-origin\r\nCookie: {cookies}\r\n"
      half = ["GET / HTTP/1.1\r\nX-Half: ", f"POST /login HTTP/1.1\r\n{fields}Content-Length: 4000\r\n\r\nx"]
      def opened(text):
          connection = browser.connection()
          connection.connect()
          connection.sock.sendall(text.encode())
          connection.sock.settimeout(0.1)
          return connection.sock
      def is_closed(end):
          try:
              end.sendall(b"x")
              return end.recv(1) == b""
          except TimeoutError: return False
          except OSError: return True
      ends = [opened(text) for text in half]
      for end in ends: wait_for("the end of a slow one", lambda: is_closed(end))
      assert browser.login() == 204
      """#)
  }

  @Test(.enabled(if: TestLength.isWhole, "waits for the server's limits of 30 s; with scripts/test --all"))
  func whoAsksAgainButReadsNothingIsCutOff() throws {
    try expectSuccess(
      #"""
      server = Server()
      browser = server.browser()
      assert browser.login() == 204
      snapshot = with_picture(browser, UNREAD)
      cookies = "; ".join(f"{k}={v}" for k, v in browser.cookies.items())
      fields = f"Host: 127.0.0.1:{server.port}\r\nX-Agonyfs: 1\r\nSec-Fetch-Site: same-origin\r\nCookie: {cookies}\r\n"
      request = f"GET /api/item/{snapshot}/0/original HTTP/1.1\r\n{fields}\r\n".encode()
      connection = browser.connection()
      connection.connect()
      connection.sock.sendall(request)
      # Behind the answer that waits.
      wait_for("an answer that waits", lambda: (server.held(connection) or 0) > 100_000)
      connection.sock.sendall(request)
      wait_for("the end of who reads nothing", lambda: server.held(connection) is None)
      assert browser.ask("GET", "/api/state")[0] == 200
      """#)
  }

  /// Only who sends is in time: a disk that wakes up, or a vault on another machine, may take longer.
  @Test(.enabled(if: TestLength.isWhole, "waits for the server's limits of 30 s; with scripts/test --all"))
  func anUploadOutlastsAVaultThatStandsStill() throws {
    try expectSuccess(
      #"""
      import threading
      server = Server()
      browser = server.browser()
      assert browser.login() == 204
      tus = {"Tus-Resumable": "1.0.0", "Content-Type": "application/offset+octet-stream", "Upload-Offset": "0"}
      size = 32 << 20
      begun = browser.ask("POST", "/api/upload", b"", {
          **tus, "Upload-Length": str(size), "Upload-Metadata": "filename eC5qcGc="})
      assert begun[0] == 201, begun
      found = subprocess.run(["pgrep", "-f", f"mount .*{os.getcwd()}/agonyfs-web"], capture_output=True).stdout
      daemons = [int(number) for number in found.split()]
      assert daemons
      for daemon in daemons: os.kill(daemon, signal.SIGSTOP)
      def go_on():
          for daemon in daemons: os.kill(daemon, signal.SIGCONT)
      # Longer than a body may pause.
      timer = threading.Timer(40, go_on)
      timer.start()
      try:
          status, headers, _ = browser.ask("PATCH", begun[1]["Location"], os.urandom(size), tus)
      finally:
          timer.cancel()
          go_on()
      assert (status, headers["Upload-Offset"]) == (204, str(size)), (status, headers)
      """#)
  }

  @Test func aSpaceThatStandsStillHoldsNoOtherUp() throws {
    try expectSuccess(
      #"""
      import threading
      assert agonyfs("space", "add", "--cover", "0", "Vault", text=OTHER + "\n").returncode == 0
      server = Server()
      one, other = server.browser(), server.browser()
      assert one.login() == 204
      found = subprocess.run(["pgrep", "-f", f"mount .*{os.getcwd()}/agonyfs-web"], capture_output=True).stdout
      daemons = [int(number) for number in found.split()]
      assert other.login(OTHER) == 204
      answers = []
      asking = [threading.Thread(target=lambda: answers.append(one.ask("GET", "/api/albums")[0])) for _ in range(20)]
      for daemon in daemons: os.kill(daemon, signal.SIGSTOP)
      try:
          for thread in asking: thread.start()
          for _ in range(20): assert other.ask("GET", "/api/albums")[0] == 200
          assert answers == []
      finally:
          for daemon in daemons: os.kill(daemon, signal.SIGCONT)
      for thread in asking: thread.join()
      assert answers == [200] * 20, answers
      """#)
  }
}
