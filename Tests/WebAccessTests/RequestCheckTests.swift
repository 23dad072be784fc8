import Testing
import WebAccess

@Suite struct RequestCheckTests {
  private let check = RequestCheck(hosts: ["192.168.1.5", "Home.local"], port: 8443, isEncrypted: true)

  @Test func onlyOwnNamesAreHosts() {
    for host in ["192.168.1.5:8443", "home.local:8443", "HOME.local:8443"] { #expect(check.allows(host: host)) }
    for host in [
      nil, "", "192.168.1.5", "192.168.1.5:80", "evil.example:8443", "192.168.1.5:8443.evil.example",
      "home.local:8443 ", "home.local.:8443",
    ] {
      #expect(!check.allows(host: host), "\(host ?? "none")")
    }
    let standard = RequestCheck(hosts: ["home.local"], port: 443, isEncrypted: true)
    #expect(standard.allows(host: "home.local") && standard.allows(host: "home.local:443"))
  }

  @Test(
    arguments: [
      ("https://home.local:8443", "same-origin", "1", true),
      (nil, "same-origin", "1", true),
      ("https://home.local:8443", nil, "1", true),
      (nil, nil, "1", false),
      ("https://home.local:8443", "same-origin", nil, false),
      ("https://home.local:8443", "same-origin", "2", false),
      ("https://home.local:8443", "same-site", "1", false),
      ("https://home.local:8443", "cross-site", "1", false),
      ("https://home.local:8443", "none", "1", false),
      ("https://home.local:9999", "same-origin", "1", false),
      ("http://home.local:8443", nil, "1", false),
      ("https://evil.example", nil, "1", false),
      ("null", nil, "1", false),
    ] as [(String?, String?, String?, Bool)])
  func writesComeFromThePage(origin: String?, fetchSite: String?, own: String?, allowed: Bool) {
    #expect(
      check.allowsWriting(host: "home.local:8443", origin: origin, fetchSite: fetchSite, own: own) == allowed)
  }

  @Test func anOriginOfAnotherOfOurNamesIsAnotherOrigin() {
    #expect(
      !check.allowsWriting(
        host: "home.local:8443", origin: "https://192.168.1.5:8443", fetchSite: nil, own: "1"))
    #expect(
      !check.allowsWriting(
        host: "evil.example:8443", origin: "https://evil.example:8443", fetchSite: "same-origin", own: "1"))
  }

  @Test func pagesOfOthersReadNothing() {
    #expect(check.allowsReading(fetchSite: nil) && check.allowsReading(fetchSite: "same-origin"))
    for site in ["same-site", "cross-site", "none", ""] { #expect(!check.allowsReading(fetchSite: site)) }
  }

  @Test func cookiesAreFoundIfThereIsOne() {
    #expect(CookieHeader.value(of: "a", in: ["a=1; b=2"]) == "1")
    #expect(CookieHeader.value(of: "b", in: ["a=1;b=2=3"]) == "2=3")
    #expect(CookieHeader.value(of: "b", in: ["a=1", " b=2 "]) == "2")
    #expect(CookieHeader.value(of: "a", in: ["a=1; a=2"]) == nil)
    #expect(CookieHeader.value(of: "a", in: ["xa=1; a", "A=3"]) == nil)
    #expect(CookieHeader.value(of: "a", in: []) == nil)
  }
}
