import TestSupport
import Testing

/// Passwords and requests that are guessed.
@Suite(.enabled(if: WebDriver.program != nil, "AGONYFS_TEST_WEB names no agonyfs-web")) struct WebGuessingTests {
  /// 10,000 passwords of 100 addresses that are not paired, and many of one that is: the others get in.
  @Test func whoGuessesPasswordsLocksNobodyOut() throws {
    let tries = TestLength.count(100, few: 10, name: "guesses")
    try WebDriver.expectSuccess(
      #"""
      server = Server()
      one, other, guest = server.browser(), server.browser(), server.browser()
      # Who is not paired costs no derivation, whatever cookie is sent.
      def guess(number):
          stranger = Browser(server, f"127.0.2.{number + 1}")
          stranger.keeps = True
          for word in range(\#(tries)):
              stranger.cookies = {"__Host-pairing": os.urandom(16).hex(), "__Host-session": "x"} if word % 2 else {}
              answers.add(stranger.ask("POST", "/login", f"guess {word}")[0::2])
          if stranger.kept: stranger.kept.close()
      answers = set()
      threads = [threading.Thread(target=guess, args=(number,)) for number in range(100)]
      for thread in threads: thread.start()
      for thread in threads: thread.join()
      assert answers == {(404, b"")}, answers
      assert one.login() == 204
      # Of one pairing so many wait at most, each for longer than the one before; another pairing waits for one of them.
      late = []
      def wrong(): late.append(guest.ask("POST", "/login", "wrong")[0])
      threads = [threading.Thread(target=wrong, daemon=True) for _ in range(40)]
      for thread in threads: thread.start()
      wait_for("those that are too many", lambda: late.count(503) >= 40 - 17)
      assert other.login() == 204
      assert set(late) <= {403, 503}, late
      assert server.end() == 0
      """#)
  }

  /// Requests that are put together at random from what the page sends and from what leads elsewhere.
  @Test func requestsAtRandomFindNothingElse() throws {
    for seed in TestLength.seeds(20, few: 1) { try askAtRandom(seed) }
  }

  private func askAtRandom(_ seed: UInt64) throws {
    try WebDriver.expectSuccessInTwoSpaces(
      #"""
      import random
      chance = random.Random(\#(seed))
      subprocess.run(["vips", "black", "black.jpg", "60", "40", "--bands", "3"], check=True)
      with open("black.jpg", "rb") as file: picture = file.read()
      os.remove("black.jpg")
      def fill():
          os.makedirs(first + "/Album/In it", exist_ok=True)
          for name in ("a.jpg", "Album/b.jpg"): open(f"{first}/{name}", "wb").write(picture)
          for name, target in (("out", "/etc"), ("over", second), ("up", "../../..")):
              if not os.path.lexists(f"{first}/Album/{name}"): os.symlink(target, f"{first}/Album/{name}")
      parts = ["..", ".", "", "Album", "In it", "out", "over", "up", "Hidden", "passwd", "etc", ".agonyfs", "query", "incoming",
               ".Trash-0", "files", "a.jpg", "b.jpg", "\0", "\n", "\u202e", "%2e%2e", "..%2f", "\\..", "x" * 300, "é", "\udcff",
               first, second, os.getcwd(), "0", "-1", "99999999999999999999", "null"]
      known = {"snapshot": ["x"], "ticket": ["x"], "upload": ["x"]}
      def path():
          return "/".join(chance.choice(parts) for _ in range(chance.randrange(1, 6)))
      def plain(text): return text.encode("utf-8", "surrogateescape")
      def value():
          return chance.choice([
              path, lambda: coded(plain(path())), lambda: coded("Album"), lambda: chance.choice(known["snapshot"]),
              lambda: str(chance.randrange(-2, 400)), lambda: quote(plain(path()), safe=""), lambda: chance.randbytes(9).hex()])()
      def json_value(depth=0):
          return chance.choice([
              value, lambda: chance.randrange(-3, 9), lambda: None, lambda: 1e300, lambda: [0], lambda: [0, 1, 99, -1],
              lambda: {chance.choice(names): json_value(depth + 1)} if depth < 3 else "x"])()
      routes = {
          "albums": ("GET POST", "path parent name"), "albums/rename": ("POST", "path name"), "albums/delete": ("POST", "path"),
          "albums/add": ("POST", "snapshot items album"), "cover": ("GET", "path"), "suggest": ("GET", "q"),
          "sections": ("GET", "q album group sort trash"), "geometry/V": ("GET", ""), "section/V/V": ("GET", ""),
          "thumbs": ("POST", "snapshot items size"), "item/V/V/original": ("GET", "download"), "item/V/V/preview": ("GET", ""),
          "item/V/V/full": ("GET", ""), "item/V/V/motion": ("GET", ""), "item/V/V/facts": ("GET", ""),
          "items": ("PATCH", "snapshot items set"), "trash": ("POST", "snapshot items"), "restore": ("POST", "snapshot items"),
          "zip": ("POST", "snapshot items"), "zip/V": ("GET", ""), "zip/V/progress": ("GET", ""), "positions": ("POST", "paths"),
          "upload": ("POST HEAD OPTIONS", ""), "upload/V": ("PATCH HEAD DELETE", ""), "state": ("GET", "used busy"),
          "V": ("GET", "path"), "V/V": ("GET", "path")}
      methods = ["GET", "POST", "PATCH", "HEAD", "DELETE", "PUT", "OPTIONS"]
      names = sorted({name for _, said in routes.values() for name in said.split()} | {"title", "addTags", "rating", "favourite"})
      def field(name):
          if name == "snapshot" and chance.random() < 0.7: return known["snapshot"][-1]
          if name == "items" and chance.random() < 0.7: return chance.choice([[0], [1], [0, 1]])
          if name == "set": return {chance.choice(["title", "rating", "favourite", "addTags", "removeTags"]): json_value()}
          return json_value()
      statuses = {}
      fill()
      for number in range(1500):
          route = chance.choice(sorted(routes))
          right, said = routes[route]
          method = chance.choice(right.split() if chance.random() < 0.9 else methods)
          wanted = [name if chance.random() < 0.9 else chance.choice(names) for name in said.split()]
          target = "/api/" + "/".join(
              part if part != "V" else known["snapshot"][-1] if place == 1 and chance.random() < 0.5
              else quote(plain(value()), safe="%/" if chance.random() < 0.3 else "")
              for place, part in enumerate(route.split("/")))
          if method in ("GET", "HEAD") and wanted:
              target += "?" + "&".join(f"{name}={quote(plain(value()), safe='%')}" for name in wanted
                                       if chance.random() < 0.6)
          fields, body = {}, None
          if method not in ("GET", "HEAD"):
              body = json.dumps({name: field(name) for name in wanted}).encode("utf-8", "surrogatepass")
          if "upload" in route and chance.random() < 0.8:
              words = {"filename": plain(path()), "album": plain(coded(plain(path()))), "relativePath": plain(path())}
              said = ",".join(f"{name} {base64.b64encode(words[name]).decode()}" for name in chance.sample(sorted(words), 2))
              fields = {"Tus-Resumable": "1.0.0", "Upload-Length": chance.choice(["0", "5", "-1", str(2**62)]),
                        "Upload-Metadata": said, "Upload-Offset": chance.choice(["0", "3", "x"]),
                        "Content-Type": "application/offset+octet-stream"}
          if len(target) > 7000: continue
          status, headers, answer = one.ask(method, target, body, fields)
          assert not tells_a_secret(headers, answer), (method, target, body, fields, answer[:300])
          assert status < 500 or status in (501, 503, 507), (status, method, target, body, fields, answer[:300])
          statuses[status] = statuses.get(status, 0) + 1
          if status == 200 and answer[:1] == b"{":
              said = json.loads(answer)
              for name in known: known[name] = (known[name] + [said[name]])[-9:] if said.get(name) else known[name]
          if number % 50 == 0: fill()
          if status == 401: assert one.login() == 204
      assert outside() == before, (before, outside())
      assert server.process.poll() is None and one.ask("GET", "/api/albums")[0] == 200
      # Many are understood, and the answers are not all the same.
      assert {200, 400, 404} <= set(statuses) and statuses[200] > 150, statuses
      assert server.end() == 0
      """#)
  }
}
