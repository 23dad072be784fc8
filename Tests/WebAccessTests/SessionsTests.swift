import Testing
import WebAccess

@Suite struct SessionsTests {
  private func at(_ seconds: Int) -> Duration { .seconds(seconds) }
  private let pairing = Token.random()
  private let phone = Peer(address: "10.0.0.1", user: nil)

  private func sessions(idle: Int = 600, silence: Int = 90) -> Sessions<String> {
    Sessions(idle: .seconds(idle), silence: .seconds(silence))
  }

  @Test func aSessionNeedsItsTokenPairingAndPeer() {
    var sessions = sessions()
    let token = sessions.begin("space", pairing: pairing, peer: phone, now: at(0)).token
    #expect(sessions.value(token, pairing: pairing, peer: phone, now: at(1)) == "space")
    #expect(sessions.value(.random(), pairing: pairing, peer: phone, now: at(1)) == nil)
    #expect(sessions.value(token, pairing: .random(), peer: phone, now: at(1)) == nil)
    for other in [Peer(address: "10.0.0.2", user: nil), Peer(address: "10.0.0.1", user: 1000)] {
      #expect(sessions.value(token, pairing: pairing, peer: other, now: at(1)) == nil)
    }
  }

  /// Each asks every 20 s, as a page does that nobody uses.
  @Test func itEndsWhenItIsNotUsed() {
    var sessions = sessions()
    let token = sessions.begin("space", pairing: pairing, peer: phone, now: at(0)).token
    for second in stride(from: 20, to: 500, by: 20) {
      #expect(sessions.value(token, pairing: pairing, peer: phone, now: at(second)) == "space")
    }
    sessions.requestBegins(token, now: at(500))
    sessions.requestEnds(token, now: at(500))
    for second in stride(from: 520, to: 1100, by: 20) {
      #expect(sessions.endIdle(now: at(second)) == [])
      #expect(sessions.value(token, pairing: pairing, peer: phone, now: at(second)) == "space")
    }
    #expect(sessions.endIdle(now: at(1099)) == [])
    #expect(sessions.value(token, pairing: pairing, peer: phone, now: at(1100)) == nil)
    #expect(sessions.endIdle(now: at(1100)) == ["space"])
    #expect(sessions.endIdle(now: at(1100)) == [])
    #expect(sessions.isEmpty)
  }

  @Test func itEndsWhenThePageIsGone() {
    var sessions = sessions()
    let token = sessions.begin("space", pairing: pairing, peer: phone, now: at(0)).token
    #expect(sessions.value(token, pairing: pairing, peer: phone, now: at(30)) == "space")
    // What somebody else asks with the cookie keeps nothing open.
    let other = Peer(address: "10.0.0.2", user: nil)
    #expect(sessions.value(token, pairing: pairing, peer: other, now: at(100)) == nil)
    #expect(sessions.endIdle(now: at(119)) == [])
    #expect(sessions.value(token, pairing: pairing, peer: phone, now: at(120)) == nil)
    #expect(sessions.endIdle(now: at(120)) == ["space"])
  }

  /// A phone that sends files may be without a connection for a while.
  @Test func itStaysWhileItsPageSends() {
    var sessions = sessions()
    let token = sessions.begin("space", pairing: pairing, peer: phone, now: at(0)).token
    sessions.requestBegins(token, isDownload: true, now: at(10))
    sessions.requestBegins(token, now: at(10))
    #expect(sessions.downloads(token) == 1)
    sessions.requestEnds(token, now: at(20))
    sessions.requestEnds(token, isDownload: true, now: at(20))
    sessions.page(of: token, isSending: true)
    #expect(sessions.downloads(token) == 0 && sessions.endIdle(now: at(619)) == [])
    #expect(sessions.value(token, pairing: pairing, peer: phone, now: at(300)) == "space")
    sessions.page(of: token, isSending: false)
    #expect(sessions.endIdle(now: at(389)) == [])
    #expect(sessions.endIdle(now: at(390)) == ["space"])
    #expect(sessions.downloads(token) == 0)
  }

  @Test func aRequestThatRunsIsAUse() {
    var sessions = sessions()
    let token = sessions.begin("space", pairing: pairing, peer: phone, now: at(0)).token
    sessions.requestBegins(token, now: at(1))
    sessions.requestBegins(token, now: at(2))
    sessions.requestEnds(token, now: at(3))
    #expect(sessions.endIdle(now: at(5000)) == [])
    // An upload that is over leaves the time that a page without one has.
    sessions.requestEnds(token, now: at(5000))
    #expect(sessions.endIdle(now: at(5089)) == [])
    #expect(sessions.endIdle(now: at(5090)) == ["space"])
  }

  /// A page that is loaded anew is left as well.
  @Test func itEndsSoonAfterItsPageWasLeft() {
    var sessions = sessions()
    let token = sessions.begin("space", pairing: pairing, peer: phone, now: at(0)).token
    sessions.requestBegins(token, now: at(9))
    sessions.pageLeft(token, endsAt: at(15))
    #expect(sessions.value(token, pairing: pairing, peer: phone, now: at(14)) == "space")
    sessions.requestEnds(token, now: at(20))
    #expect(sessions.endIdle(now: at(30)) == [])
    sessions.requestBegins(token, now: at(30))
    sessions.pageLeft(token, endsAt: at(35))
    // The end of a request that was cut off is no sign of the page.
    sessions.requestEnds(token, now: at(31))
    #expect(sessions.endIdle(now: at(34)) == [])
    #expect(sessions.endIdle(now: at(35)) == ["space"])
  }

  @Test func aPairingHasOne() {
    var sessions = sessions()
    let first = sessions.begin("first", pairing: pairing, peer: phone, now: at(0)).token
    let others = Token.random()
    let other = sessions.begin("other", pairing: others, peer: phone, now: at(0))
    let second = sessions.begin("second", pairing: pairing, peer: phone, now: at(1))
    #expect(other.replaced == nil)
    #expect(second.replaced == "first")
    #expect(sessions.end(first, pairing: pairing) == nil)
    #expect(sessions.end(second.token, pairing: others) == nil)
    #expect(sessions.end(second.token, pairing: pairing) == "second")
    #expect(sessions.end(second.token, pairing: pairing) == nil)
    #expect(sessions.end(pairing: pairing) == nil)
    #expect(sessions.end(pairing: others) == "other")
    #expect(sessions.endAll() == [])
  }
}
