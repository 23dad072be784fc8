import TestSupport
import Testing

/// How long `agonyfs serve` waits for others. Its times are those of everybody: 15 s for a head, 30 s for 16 KiB of a body.
@Suite(.enabled(if: WebDriver.program != nil, "AGONYFS_TEST_WEB names no agonyfs-web")) struct WebPaceTests {
  @Test(.enabled(if: TestLength.isWhole, "waits for the server's limits of 30 s; with scripts/test --all"))
  func whoSendsByteByByteIsCutOff() throws {
    try WebDriver.expectSuccess(
      #"""
      server = Server()
      browser = server.browser()
      half = ["GET / HTTP/1.1\r\nX-Half: ", f"POST /login HTTP/1.1\r\n{browser.fields()}Content-Length: 4000\r\n\r\nx"]
      def is_closed(end):
          end.settimeout(0.1)
          try:
              end.sendall(b"x")
              return end.recv(1) == b""
          except TimeoutError: return False
          except OSError: return True
      slow = [browser.opened(text) for text in half]
      for each in slow: wait_for("the end of a slow one", lambda: is_closed(each.sock))
      assert browser.login() == 204
      """#)
  }

  @Test(.enabled(if: TestLength.isWhole, "waits for the server's limits of 30 s; with scripts/test --all"))
  func whoAsksAgainButReadsNothingIsCutOff() throws {
    try WebDriver.expectSuccess(
      #"""
      server, browser = logged_in()
      snapshot = with_picture(browser, UNREAD)
      request = f"GET /api/item/{snapshot}/0/original HTTP/1.1\r\n{browser.fields()}\r\n"
      connection = browser.opened(request)
      # Behind the answer that waits.
      wait_for("an answer that waits", lambda: (server.held(connection) or 0) > 100_000)
      connection.sock.sendall(request.encode())
      wait_for("the end of who reads nothing", lambda: server.held(connection) is None)
      assert browser.ask("GET", "/api/state")[0] == 200
      """#)
  }

  @Test(.enabled(if: TestLength.isWhole, "waits for the server's limit of 60 s; with scripts/test --all"))
  func whoTakesAnAnswerLateAndAsksNoMoreIsCutOff() throws {
    try WebDriver.expectSuccess(
      #"""
      server, browser = logged_in()
      snapshot = with_picture(browser, UNREAD)
      # From what the kernel takes for one who reads nothing to more than it takes, so that of some the end waits.
      most = int(open("/proc/sys/net/ipv4/tcp_wmem").read().split()[2])
      def begun(count):
          return browser.opened(f"GET /api/item/{snapshot}/0/original HTTP/1.1\r\n{browser.fields()}"
                                f"Range: bytes=0-{count - 1}\r\n\r\n")
      connections = [begun(most + (number << 17)) for number in range(-2, 14)]
      time.sleep(2)
      def take(sock):
          whole = b""
          while b"\r\n\r\n" not in whole: whole += sock.recv(1 << 16)
          head, _, body = whole.partition(b"\r\n\r\n")
          left = int(re.search(rb"(?i)content-length: (\d+)", head)[1]) - len(body)
          while left > 0: left -= len(sock.recv(1 << 20))
      # All before one is waited for: what is not taken is cut off by another limit.
      for connection in connections: take(connection.sock)
      for connection in connections: assert connection.sock.recv(1) == b""
      """#)
  }

  /// Only who sends is in time: a disk that wakes up, or a vault on another machine, may take longer.
  @Test(.enabled(if: TestLength.isWhole, "waits for the server's limits of 30 s; with scripts/test --all"))
  func anUploadOutlastsAVaultThatStandsStill() throws {
    try WebDriver.expectSuccess(
      #"""
      server, browser = logged_in()
      tus = {"Tus-Resumable": "1.0.0", "Content-Type": "application/offset+octet-stream", "Upload-Offset": "0"}
      size = 32 << 20
      begun = browser.ask("POST", "/api/upload", b"", {
          **tus, "Upload-Length": str(size), "Upload-Metadata": "filename eC5qcGc="})
      assert begun[0] == 201, begun
      stopped = daemons()
      assert stopped
      for daemon in stopped: os.kill(daemon, signal.SIGSTOP)
      def go_on():
          for daemon in stopped: os.kill(daemon, signal.SIGCONT)
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
    try WebDriver.expectSuccess(
      #"""
      add_space()
      server = Server()
      one, other = server.browser(), server.browser()
      assert one.login() == 204
      stopped = daemons()
      assert other.login(OTHER) == 204
      answers = []
      asking = [threading.Thread(target=lambda: answers.append(one.ask("GET", "/api/albums")[0])) for _ in range(20)]
      for daemon in stopped: os.kill(daemon, signal.SIGSTOP)
      try:
          for thread in asking: thread.start()
          for _ in range(20): assert other.ask("GET", "/api/albums")[0] == 200
          assert answers == []
      finally:
          for daemon in stopped: os.kill(daemon, signal.SIGCONT)
      for thread in asking: thread.join()
      assert answers == [200] * 20, answers
      """#)
  }
}
