import TestSupport
import Testing

/// Requests that are written as HTTP permits it, and as it does not (RFC 9110, RFC 9112).
@Suite(.enabled(if: WebDriver.program != nil, "AGONYFS_TEST_WEB names no agonyfs-web")) struct WebFormTests {
  /// `answers(BROWSER, TEXT...)` gives the statuses of all answers on a connection by which texts are sent at once, until
  /// the server closes it.
  private static let functions = #"""
    server, browser = logged_in()
    fields = browser.fields()
    place = f"127.0.0.1:{server.port}"
    elsewhere = fields.replace(f"Host: {place}\r\n", "Host: evil.example\r\n")
    assert elsewhere != fields
    def rest(connection):
        whole = b""
        try:
            while part := connection.sock.recv(65536): whole += part
        except ConnectionError: pass
        connection.close()
        return whole
    def answers(*texts):
        whole = rest(browser.opened("".join(texts)))
        return [int(status) for status in re.findall(rb"HTTP/1\.1 (\d+) ", whole)]
    asks = "GET /api/state HTTP/1.1\r\n" + fields
    ends = "Connection: close\r\n\r\n"

    """#

  @Test func aRequestHasOneHost() throws {
    try WebDriver.expectSuccess(
      Self.functions + #"""
        assert answers(asks, ends) == [200]
        assert answers(asks, "Host: evil.example\r\n", ends) == [400]
        assert answers(asks, f"Host: {place}\r\n", ends) == [400]
        assert answers("GET /api/state HTTP/1.1\r\n", fields.replace(f"Host: {place}\r\n", ""), ends) == [400]
        assert answers("GET /api/state HTTP/1.0\r\n", fields.replace(f"Host: {place}\r\n", ""), ends) == [404]
        # Those before it are answered.
        assert answers(asks, "\r\n", asks, "Host: evil.example\r\n\r\n", asks, ends) == [200, 400]
        """#)
  }

  @Test func theHostOfATargetIsTheOne() throws {
    try WebDriver.expectSuccess(
      Self.functions + #"""
        assert answers(f"GET https://{place}/api/state HTTP/1.1\r\n", elsewhere, ends) == [200]
        assert answers(f"GET HTTPS://{place}/api/state?used=0 HTTP/1.1\r\n", fields, ends) == [200]
        assert answers("GET https://evil.example/api/state HTTP/1.1\r\n", fields, ends) == [404]
        assert answers(f"GET ftp://{place}/api/state HTTP/1.1\r\n", fields, ends) == [400]
        assert answers("GET /api/state HTTP/1.1\r\n", elsewhere, ends) == [404]
        assert answers("OPTIONS * HTTP/1.1\r\n", fields, ends) in ([404], [405])
        """#)
  }

  /// Whoever sends a body only when it is asked for is asked at once, unless the request is refused.
  @Test func bodiesThatWaitAreAskedFor() throws {
    try WebDriver.expectSuccess(
      Self.functions + #"""
        body = json.dumps({"parent": "", "name": "Summer"})
        waits = f"Expect: 100-Continue\r\nContent-Length: {len(body)}\r\n"
        connection = browser.opened("POST /api/albums HTTP/1.1\r\n" + fields + waits + ends)
        said = b""
        while b"\r\n\r\n" not in said:
            part = connection.sock.recv(65536)
            assert part, said
            said += part
        assert said == b"HTTP/1.1 100 Continue\r\n\r\n", said
        connection.sock.sendall(body.encode())
        answer = rest(connection)
        assert re.match(rb"HTTP/1\.1 20\d ", answer), answer
        assert os.path.isdir(mounts()[0] + "/Summer")
        # A body that is sent all the same is taken all the same.
        assert answers("POST /api/absent HTTP/1.1\r\n", fields, waits, "\r\n", body, asks, ends) == [100, 404, 200]
        # Nothing goes before an answer to an old version, or to who asks for something only.
        assert answers("POST /api/absent HTTP/1.0\r\n", fields, waits, ends) == [404]
        assert answers(asks, "Expect: 100-continue\r\n", ends) == [200]
        fields = server.browser().fields()
        assert answers("POST /api/albums HTTP/1.1\r\n", fields, waits, ends) == [401]
        assert answers("POST /api/albums HTTP/1.1\r\n", f"Host: {place}\r\n", waits, ends) == [404]
        """#)
  }

  @Test func whatIsMalformedIsAnsweredOnce() throws {
    try WebDriver.expectSuccess(
      Self.functions + #"""
        chunked = fields + "Transfer-Encoding: chunked\r\n\r\n"
        # Before and while its body is read.
        assert answers("POST /api/absent HTTP/1.1\r\n", chunked, "zz\r\n") == [404]
        assert answers("POST /api/albums HTTP/1.1\r\n", chunked, "zz\r\n") == [400]
        assert answers(asks, "\r\n", "POST /api/absent HTTP/1.1\r\n", chunked, "zz\r\n", asks, "\r\n") == [200, 404]
        # What is no request at all is answered, too.
        assert answers("nonsense\r\n\r\n") == [400]
        assert answers(asks, "\r\n", "nonsense\r\n\r\n", asks, "\r\n") == [200, 400]
        """#)
  }
}
