import Testing
import WebAccess

@Suite struct PairingsTests {
  private func at(_ seconds: Int) -> Duration { .seconds(seconds) }

  @Test func anOfferIsTakenOnceAndShownUntilThen() throws {
    var pairings = Pairings()
    let offer = pairings.makeOffer(now: at(0))
    #expect(pairings.showsPage(at: offer.path.text, now: at(1)) == true)
    #expect(pairings.showsPage(at: offer.path.text, now: at(1)) == true)
    let made = pairings.pair(secret: offer.secret.text, user: nil, now: at(2))
    let pairing = try #require(made).pairing
    #expect(pairings.isPaired(pairing, user: nil, now: at(3)) == true)
    #expect(pairings.pair(secret: offer.secret.text, user: nil, now: at(3)) == nil)
    #expect(pairings.showsPage(at: offer.path.text, now: at(3)) == false)
  }

  @Test func anOfferIsGoodForMinutes() {
    var pairings = Pairings()
    let offer = pairings.makeOffer(now: at(0))
    #expect(pairings.showsPage(at: offer.path.text, now: at(300)) == false)
    #expect(pairings.pair(secret: offer.secret.text, user: nil, now: at(300)) == nil)
  }

  @Test func theNextOfferEndsTheOneBefore() {
    var pairings = Pairings()
    let first = pairings.makeOffer(now: at(0))
    let second = pairings.makeOffer(now: at(1))
    #expect(pairings.pair(secret: first.secret.text, user: nil, now: at(2)) == nil)
    #expect(pairings.pair(secret: second.secret.text, user: nil, now: at(2)) != nil)
  }

  @Test func wrongSecretsAndPathsChangeNothing() {
    var pairings = Pairings()
    let offer = pairings.makeOffer(now: at(0))
    for wrong in ["", "0", offer.path.text, offer.secret.text.uppercased() + "x", Token.random().text] {
      #expect(pairings.pair(secret: wrong, user: nil, now: at(1)) == nil)
    }
    #expect(pairings.showsPage(at: offer.secret.text, now: at(1)) == false)
    #expect(pairings.isPaired(.random(), user: nil, now: at(1)) == false)
    #expect(pairings.pair(secret: offer.secret.text, user: nil, now: at(1)) != nil)
  }

  @Test func theOneUsedLongestAgoMakesRoom() throws {
    var pairings = Pairings()
    var made: [Token] = []
    for second in 0..<Pairings.most {
      let offer = pairings.makeOffer(now: at(second))
      let pairing = pairings.pair(secret: offer.secret.text, user: nil, now: at(second))
      made.append(try #require(pairing).pairing)
    }
    #expect(pairings.isPaired(made[0], user: nil, now: at(100)) == true)
    let offer = pairings.makeOffer(now: at(101))
    let last = pairings.pair(secret: offer.secret.text, user: nil, now: at(101))
    #expect(last?.replaced == made[1])
    #expect(pairings.isPaired(made[0], user: nil, now: at(102)) == true)
    #expect(pairings.isPaired(made[1], user: nil, now: at(102)) == false)
    #expect(pairings.isPaired(made[2], user: nil, now: at(102)) == true)
  }

  /// A cookie of this host reaches whoever listens at another port, also another user of this machine.
  @Test func aPairingIsOfOneUserOrOfOtherMachines() throws {
    for owner: UInt32? in [nil, 1000] {
      var pairings = Pairings()
      let offer = pairings.makeOffer(now: at(0))
      let made = pairings.pair(secret: offer.secret.text, user: owner, now: at(0))
      let pairing = try #require(made).pairing
      for user: UInt32? in [nil, 0, 1000, 1001] {
        #expect(pairings.isPaired(pairing, user: user, now: at(1)) == (user == owner))
      }
    }
  }

  @Test func aTextIsComparedWhole() {
    let token = Token.random()
    #expect(token.matches(token.text))
    for wrong in [
      "", token.text.dropLast() + "x", "x" + token.text.dropFirst(), token.text + "0", token.text.dropLast() + "",
    ] {
      #expect(!token.matches(String(wrong)))
    }
  }

  @Test func tokensAreReadBackAndNothingElseIs() {
    let token = Token.random()
    #expect(Token(text: token.text) == token)
    #expect(token.text.utf8.count == 32)
    #expect(Token.random() != token)
    for wrong in ["", "g" + token.text.dropFirst(), token.text + "0", String(repeating: "A", count: 32), "é"] {
      #expect(Token(text: wrong) == nil)
    }
  }
}
