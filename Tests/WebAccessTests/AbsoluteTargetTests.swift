import Testing
import WebAccess

@Suite struct AbsoluteTargetTests {
  @Test(
    arguments: [
      ("https://192.168.1.5:8443/login?x=1", "192.168.1.5:8443", "/login?x=1"),
      ("HTTP://Home.local", "Home.local", "/"),
      ("https://home.local?used=1", "home.local", "/?used=1"),
      ("https://[fd00::1]:8443/a/b", "[fd00::1]:8443", "/a/b"),
      ("https://home.local/https://evil.example/", "home.local", "/https://evil.example/"),
      ("https://us@home.local/", "us@home.local", "/"),
      ("https://home.local/\u{301}x", "home.local", "/\u{301}x"),
    ])
  func hostAndPathAreTold(text: String, host: String, path: String) {
    let target = AbsoluteTarget(text)
    #expect(target?.host == host && target?.path == path, "\(text): \(String(describing: target))")
  }

  @Test(arguments: ["/login", "*", "", "home.local:443", "ftp://home.local/", "https:///login", "/http://home.local/"])
  func othersAreNone(text: String) { #expect(AbsoluteTarget(text) == nil) }
}
