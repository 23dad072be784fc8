import TestSupport
import Testing

/// What is sent to `agonyfs serve` by who wants more than is theirs.
@Suite(.enabled(if: WebDriver.program != nil, "AGONYFS_TEST_WEB names no agonyfs-web")) struct WebAttackTests {
  @Test func noPathLeadsOutOfASpace() throws {
    try WebDriver.expectSuccessInTwoSpaces(
      #"""
      os.mkdir(first + "/Album")
      os.symlink("/etc", first + "/Album/out")
      os.symlink(second, first + "/Album/over")
      paths = [
          "..", "../..", "Album/../..", "/etc", "/etc/passwd", "Album/out", "Album/out/passwd", "Album/over/Hidden", ".",
          "./Album", "Album/", "Album//x", "\0", "Album\0/x", "..\0", "a" * 255, "a" * 256, "a/" * 3000, "x" * 20000,
          ".agonyfs", ".agonyfs/query", "Album/.agonyfs", second, second + "/Hidden", os.getcwd(), "%2e%2e", "..%2f..",
          "\\..\\..", "../" * 20 + "etc/passwd", b"\xff\xfe", b"Album/\xff", "Album/\u202e", "Album/\n", "../" + second]
      statuses = set()
      def check(answer):
          status, headers, body = answer
          assert not tells_a_secret(headers, body), (status, body[:300])
          assert status < 500, (status, body[:300])
          statuses.add(status)
      for path in paths:
          name = coded(path)
          for route in ("albums?path=", "cover?path=", "sections?album="):
              check(one.ask("GET", "/api/" + route + name))
          said = path if isinstance(path, str) else path.decode("latin1")
          for route, body in [
              ("albums", {"parent": name, "name": "new"}), ("albums", {"parent": "", "name": said}),
              ("albums/rename", {"path": name, "name": "new"}),
              ("albums/rename", {"path": coded("Album"), "name": said.replace("Album", "..")}),
              ("albums/delete", {"path": name}), ("albums/add", {"snapshot": said, "items": [0], "album": name})]:
              if route == "albums/delete" and path in ("Album/", "./Album"): continue
              check(one.ask("POST", "/api/" + route, json.dumps(body)))
          for field in ("filename", "album", "relativePath"):
              values = {"filename": b"file.jpg", "album": b"", "relativePath": b""}
              plain = path if isinstance(path, bytes) else path.encode()
              values[field] = coded(path).encode() if field == "album" else plain
              text = ",".join(f"{k} {base64.b64encode(v).decode()}" for k, v in values.items())
              if len(text) < 10000:
                  check(one.ask("POST", "/api/upload", b"", {
                      "Tus-Resumable": "1.0.0", "Upload-Length": "0", "Upload-Metadata": text}))
          quoted = [quote(path, safe=""), quote(path), quote(quote(path, safe=""), safe="")]
          for part in quoted:
              for route in ("/", "/assets/", "/api/", "/api/item/", "/api/zip/", "/api/geometry/", "/api/upload/"):
                  if len(part) < 12000: check(one.ask("GET", route + part, None, {"Tus-Resumable": "1.0.0"}))
      # Written as no library writes it.
      for target in (b"/api/../../etc/passwd", b"/assets/..%2f..%2fetc/passwd", b"/assets/%00", b"//etc/passwd",
                     b"/api/item/..", b"*", b"http://evil.example/x", b"/\xff\xfe", b"/" + b"a" * 40000, b"", b"/a b"):
          status = one.sent(b"GET " + target + b" HTTP/1.1\r\nFIELDS\r\n\r\n")
          assert status in (0, 400, 404, 414, 431), (target[:50], status)
      assert {200, 400, 404} <= statuses, statuses
      # What answers HEAD has no body, which would be taken for the beginning of the next answer on that connection.
      for path in ("/", "/pair", "/api/state", "/api/absent", "/api/upload/absent", "/assets/absent", "/absent"):
          assert one.ask("HEAD", path)[2] == b"" and one.kept, path
          assert one.ask("GET", "/api/state")[0] == 200, path
      # Snapshots, archives and uploads of another session are not there.
      snapshot = json.loads(other.ask("GET", "/api/sections")[2])["snapshot"]
      assert other.ask("GET", f"/api/geometry/{snapshot}")[0] == 200
      for route in ("geometry/SNAPSHOT", "section/SNAPSHOT/0", "item/SNAPSHOT/0/original", "item/SNAPSHOT/0/facts"):
          answer = one.ask("GET", "/api/" + route.replace("SNAPSHOT", snapshot))
          assert answer[0] in (404, 410), (route, answer)
      assert one.ask("POST", "/api/zip", json.dumps({"snapshot": snapshot, "items": [0]}))[0] in (404, 410)
      upload = other.ask("POST", "/api/upload", b"", {
          "Tus-Resumable": "1.0.0", "Upload-Length": "5", "Upload-Metadata": "filename eC5qcGc="})
      assert upload[0] == 201, upload
      for method in ("HEAD", "DELETE"):
          assert one.ask(method, upload[1]["Location"], None, {"Tus-Resumable": "1.0.0"})[0] in (404, 410)
      assert other.ask("DELETE", upload[1]["Location"], None, {"Tus-Resumable": "1.0.0"})[0] == 204
      # A cookie of each.
      mixed = Browser(server)
      mixed.cookies = {**one.cookies, "__Host-session": other.cookies["__Host-session"]}
      assert mixed.ask("GET", "/api/sections")[0] == 401
      assert outside() == before, (before, outside())
      assert server.process.poll() is None
      """#)
  }

  @Test func whatIsNotKnownIsRefused() throws {
    try WebDriver.expectSuccess(
      #"""
      server = Server()
      browser = server.browser()
      def status(method, path, body=None, fields={}): return browser.ask(method, path, body, fields)[0]
      for phase in ("locked", "open"):
          for method in ("PUT", "DELETE", "PATCH", "OPTIONS", "BREW", "PROPFIND", "TRACE"):
              for path in ("/", "/login", "/lock", "/api/state", "/api/albums", "/assets/style.css"):
                  got = status(method, path, b"x")
                  assert got in (401, 404, 405) or got == 400 and method == "BREW", (phase, method, path, got)
          assert status("GET", "/lock") in (404, 405) and status("GET", "/login") in (404, 405)
          if phase == "locked": assert browser.login() == 204
      for body in (b"", b"x", b"[]", b"null", b"{", b'"' * 100, b"[" * 100000, b"{\"snapshot\":1,\"items\":{}}", b"\xff\xfe",
                   b'{"snapshot":"x","items":[1e999,-1,99999999999999999999]}'):
          for path in ("albums", "thumbs", "items", "zip"):
              got = status("PATCH" if path == "items" else "POST", "/api/" + path, body, {"Content-Type": "text/plain"})
              assert got in (400, 404, 410), (path, body[:20], got)
      # Only what is about all photos may be long, and nothing may be made of millions of values.
      large = b'{"snapshot":"x","items":[' + b"1," * 600000 + b"1]}"
      assert status("POST", "/api/trash", large) == 413
      assert status("POST", "/api/zip", large) in (404, 410)
      assert status("POST", "/api/zip", b"[" + b"[]," * 2000000 + b"[]]") == 400
      assert status("POST", "/api/zip", b"[" + b"[]," * 4000000 + b"[]]") == 413
      for fields in ({}, {"Tus-Resumable": "2.0.0"}):
          assert status("POST", "/api/upload", b"", fields) == 412
      for fields in ({"Upload-Length": "-1"}, {"Upload-Length": "x"}, {}):
          assert status("POST", "/api/upload", b"", {"Tus-Resumable": "1.0.0", **fields}) == 400
      for name, value in (("Range", "bytes=9-1"), ("Range", "x"), ("Cookie", "=;;;=="), ("Sec-Fetch-Site", "none")):
          assert status("GET", "/api/state", None, {name: value}) in (200, 403, 404)
      # A request of two answers, or of none.
      for head in (b"Content-Length: 5\r\nContent-Length: 6", b"Transfer-Encoding: chunked\r\nContent-Length: 5",
                   b"Transfer-Encoding: cow", b"Content-Length: -1", b" folded: x", b"A" * 20000 + b": x", b"Bad header"):
          got = browser.sent(b"POST /api/albums HTTP/1.1\r\nFIELDS\r\n" + head + b"\r\n\r\nhello")
          assert got == 0 or 400 <= got < 500, (head[:40], got)
      # No name of a host but those of the server: a page of that name would be of our origin.
      names = ["evil.example", "127.0.0.1", "localhost:1", "127.0.0.1.evil.example", socket.gethostname(), ""]
      for name in names + [socket.gethostname() + ".local"]:
          for host in (name, f"{name}:{server.port}"):
              if host == f"127.0.0.1:{server.port}": continue
              answer = browser.ask("GET", "/api/state", None, {"Host": host})
              assert answer[0] in (400, 404) and answer[2] == b"", (host, answer)
      assert status("GET", "/api/state", None, {"Host": f"localhost:{server.port}"}) == 200
      # What is not shown as a page is none.
      snapshot = with_picture(browser, 20)
      ticket = json.loads(browser.ask("POST", "/api/zip", json.dumps({"snapshot": snapshot, "items": [0]}))[2])["ticket"]
      for path in (f"zip/{ticket}", f"item/{snapshot}/0/original?download=1"):
          answer = browser.ask("GET", "/api/" + path)
          assert answer[0] == 200 and answer[1]["Content-Security-Policy"].startswith("sandbox;"), answer
      assert "sandbox" not in browser.ask("GET", "/")[1]["Content-Security-Policy"]
      """#)
  }

  @Test func halfRequestsAndSlowReadersLeaveRoomForOthers() throws {
    try WebDriver.expectSuccess(
      #"""
      server, owner = logged_in()
      snapshot = with_picture(owner, UNREAD)
      held = []
      for number in range(6):
          for _ in range(40):
              text = f"GET / HTTP/1.1\r\nHost: 127.0.0.1:{server.port}\r\nX-Half: "
              held.append(owner.opened(text, f"127.0.1.{number}"))
      # All of one browser: half of a body, and an answer that nobody reads.
      fields = owner.fields()
      for number in range(40):
          if number % 2:
              text = f"GET /api/item/{snapshot}/0/original HTTP/1.1\r\n{fields}\r\n"
          else:
              text = f"POST /api/zip HTTP/1.1\r\n{fields}Content-Length: 8000000\r\n\r\n{{"
          held.append(owner.opened(text))
      for _ in range(20):
          assert owner.ask("GET", "/api/state")[0] == 200
          assert owner.ask("GET", "/api/sections")[0] == 200
      status = open(f"/proc/{server.process.pid}/status").read()
      resident = int(re.search(r"VmRSS:\s+(\d+)", status)[1])
      assert resident < 400_000, resident
      for connection in held: connection.close()
      other = server.browser()
      assert other.login() == 204
      assert server.end() == 0
      """#)
  }

  /// The buffers on the way sometimes take a whole answer that nobody reads, and then there is room for another archive: so
  /// it is asked only where a failure is looked into.
  @Test(.enabled(if: TestLength.isWhole, "what buffers take is not known; with scripts/test --all"))
  func anArchiveTooManyIsRefusedWithItsReason() throws {
    try WebDriver.expectSuccess(
      #"""
      server, owner = logged_in()
      fields = owner.fields()
      # Archives that nobody reads: the next one is refused with a reason when it is asked for, not when it is saved.
      asked = json.dumps({"snapshot": with_picture(owner, UNREAD), "items": [0]})
      def begun(ticket):
          connection = owner.opened(f"GET /api/zip/{ticket} HTTP/1.1\r\n{fields}\r\n")
          status = connection.sock.recv(12)
          assert status in (b"HTTP/1.1 200", b"HTTP/1.1 423"), status
          (held if status.endswith(b"200") else refused).append(connection)
          return status.endswith(b"200")
      # Who takes nothing for 30 s is cut off, and his archive leaves room: a slow machine takes another turn then.
      answers = []
      while not answers:
          held, refused = [], []
          tickets = [json.loads(owner.ask("POST", "/api/zip", asked)[2])["ticket"] for _ in range(5)]
          for ticket in tickets[:4]: wait_for("a place for an archive", lambda: begun(ticket))
          said = owner.ask("POST", "/api/zip", asked), owner.ask("GET", "/api/zip/" + tickets[4])
          if all(server.held(connection) is not None for connection in held): answers = said
          for connection in held + refused: connection.close()
          wait_for("room for an archive", lambda: owner.ask("POST", "/api/zip", asked)[0] == 200)
      for status, _, body in answers:
          assert status == 423 and b"wait until one of them is complete" in body, (status, body)
      assert server.end() == 0
      """#)
  }
}
