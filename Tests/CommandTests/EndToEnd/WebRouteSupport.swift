import Testing

/// The routes of the gallery, by requests to a real server on a real vault.
enum WebRoutes {
  /// Runs a script of Python with a session (`browser`) in an empty space. The functions of `prelude` ask and compare.
  static func run(_ script: String, sourceLocation: SourceLocation = #_sourceLocation) throws {
    try WebDriver.expectSuccess(prelude + script, sourceLocation: sourceLocation)
  }

  private static let prelude = #"""
    import hashlib, zipfile
    from io import BytesIO

    server, browser = logged_in()
    root = mounts()[0]

    def plain(data): return data.encode() if isinstance(data, str) else data
    def standard(data): return base64.b64encode(plain(data)).decode()
    def url(data): return base64.urlsafe_b64encode(plain(data)).rstrip(b"=").decode()

    def ask(method, path, value=None, fields={}):
        body = json.dumps(value) if isinstance(value, (dict, list)) else value
        return browser.ask(method, "/api/" + path, body, fields)

    def api(method, path, value=None):
        status, _, body = ask(method, path, value)
        assert status in (200, 204), (method, path, status, body[:300])
        return json.loads(body) if body else None

    def refused(status, word, method, path, value=None, fields={}):
        found, headers, body = ask(method, path, value, fields)
        assert found == status, (method, path, value, found, body[:300])
        reason = json.loads(body)
        assert reason["error"] == word and reason["detail"].endswith("."), (method, path, reason)
        assert headers["Cache-Control"] == "no-store" and "json" in headers["Content-Type"], headers

    def tus(method, path, body=None, fields={}):
        return ask(method, "upload" + path, body, {"Tus-Resumable": "1.0.0", **fields})

    def begin(length, name, album="", more=""):
        metadata = f"filename {standard(name)},album {standard(url(album))}" + more
        status, headers, body = tus("POST", "", None, {"Upload-Length": str(length), "Upload-Metadata": metadata})
        assert status == 201 and headers["Tus-Resumable"] == "1.0.0", (status, body)
        return headers["Location"][len("/api/upload"):]

    def piece(place, offset, content, fields={}):
        kind = {"Content-Type": "application/offset+octet-stream", "Upload-Offset": str(offset)}
        return tus("PATCH", place, content, {**kind, **fields})

    def put(content, name, album=""):
        status, headers, body = piece(begin(len(content), name, album), 0, content)
        assert status == 204 and headers["Agonyfs-Verified"] == "1", (status, body)
        return unquote(headers["Agonyfs-Name"])

    def picture():
        subprocess.run(["vips", "black", "black.jpg", "60", "40", "--bands", "3"], check=True)
        return open("black.jpg", "rb").read()

    def sections(words="", count=None):
        # Each answer is kept, and the last few alone.
        assert agonyfs("thumbnails", mounts()[0]).returncode == 0
        answer = api("GET", "sections" + words)
        assert count is None or answer["count"] == count, answer
        return answer

    def items(answer):
        numbers = range(len(answer["sections"]))
        return [item for n in numbers for item in api("GET", f"section/{answer['snapshot']}/{n}")]


    """#
}
