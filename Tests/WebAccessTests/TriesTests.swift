import Testing

@testable import WebAccess

@Suite struct TriesTests {
  private func at(_ seconds: Int) -> Duration { .seconds(seconds) }

  private func begun(_ tries: inout Tries, now: Duration) throws -> Tries.Ticket {
    guard case .begin(let ticket) = tries.next(now: now) else { throw Missing() }
    return ticket
  }

  private func entered(
    _ tries: inout Tries, _ pairing: Token, _ address: String = "10.0.0.1", now: Duration
  ) throws -> Tries.Ticket {
    guard let ticket = tries.enter(pairing, address: address, now: now) else { throw Missing() }
    return ticket
  }

  private struct Missing: Error {}

  @Test func oneIsTriedAtATime() throws {
    var tries = Tries()
    let (one, other) = (Token.random(), Token.random())
    let first = tries.enter(one, address: "10.0.0.1", now: at(0))
    let second = tries.enter(other, address: "10.0.0.2", now: at(0))
    #expect(try begun(&tries, now: at(0)) == first)
    #expect(tries.next(now: at(9)) == .nothing)
    #expect(tries.finish(try #require(first), wasWrong: false, now: at(9)) == .zero)
    #expect(try begun(&tries, now: at(9)) == second)
  }

  @Test func theDelayDoublesUpToAMinute() throws {
    var tries = Tries()
    let pairing = Token.random()
    var now = at(0)
    for delay in [1, 2, 4, 8, 16, 32, 60, 60, 60] {
      _ = tries.enter(pairing, address: "10.0.0.1", now: now)
      let ticket = try begun(&tries, now: now)
      #expect(tries.finish(ticket, wasWrong: true, now: now) == .seconds(delay))
      let early = try entered(&tries, pairing, now: now)
      #expect(tries.next(now: now) == .wait(until: now + .seconds(delay)))
      tries.leave(early)
      now += .seconds(delay)
    }
  }

  @Test func aRightPasswordBetweenGuessesDoesNotShortenTheDelay() throws {
    var tries = Tries()
    let pairing = Token.random()
    var now = at(0)
    for delay in [1, 2, 4] {
      for wasWrong in [true, false] {
        _ = tries.enter(pairing, address: "10.0.0.1", now: now)
        let ticket = try begun(&tries, now: now)
        #expect(tries.finish(ticket, wasWrong: wasWrong, now: now) == (wasWrong ? .seconds(delay) : .zero))
        now += .seconds(delay)
      }
    }
  }

  @Test func aCountIsForgottenAfterAnHour() throws {
    var tries = Tries()
    let pairing = Token.random()
    for now in [at(0), at(3600)] {
      _ = tries.enter(pairing, address: "10.0.0.1", now: now)
      #expect(tries.finish(try begun(&tries, now: now), wasWrong: true, now: now) == .seconds(1))
    }
  }

  @Test func freshAddressesAreNoWayAroundTheDelay() throws {
    var tries = Tries()
    let pairing = Token.random()
    var begun = 0
    for number in 0..<10_000 {
      _ = tries.enter(pairing, address: "10.0.\(number / 250).\(number % 250)", now: at(0))
      while case .begin(let ticket) = tries.next(now: at(0)) {
        begun += 1
        _ = tries.finish(ticket, wasWrong: true, now: at(0))
      }
    }
    #expect(begun == Tries.mostAddresses + 1)
    #expect(tries.countsKept == Tries.mostAddresses + 1)
  }

  @Test func allAddressesOfANetworkOfVersion6CountAsOne() {
    #expect(AddressGroup.name(of: "2001:db8:1:2:3:4:5:6") == AddressGroup.name(of: "2001:db8:1:2::9"))
    #expect(AddressGroup.name(of: "2001:db8:1:2::9") != AddressGroup.name(of: "2001:db8:1:3::9"))
    #expect(AddressGroup.name(of: "fe80::1%eth0") == AddressGroup.name(of: "fe80::2%eth0"))
    #expect(AddressGroup.name(of: "::1") == "0:0:0:0::/64")
    #expect(AddressGroup.name(of: "10.0.0.1") == "10.0.0.1")
    #expect(AddressGroup.name(of: "::ffff:10.0.0.1") != AddressGroup.name(of: "::ffff:10.0.0.2"))
  }

  /// Each derivation takes a second here. The owner types once a minute while somebody with another pairing sends all
  /// that is taken from 100 addresses.
  @Test func tenThousandWrongPasswordsLockNobodyElseOut() throws {
    var tries = Tries()
    let (attacker, owner) = (Token.random(), Token.random())
    var (sent, refused, longestWait, ownersTries) = (0, 0, Duration.zero, 0)
    var mine: (ticket: Tries.Ticket, since: Duration)?
    for second in 0..<3600 {
      let now = at(second)
      for _ in 0..<3 where sent < 10_000 {
        if tries.enter(attacker, address: "10.0.0.\(sent % 100)", now: now) == nil { refused += 1 }
        sent += 1
      }
      if second % 60 == 59, mine == nil {
        mine = (try entered(&tries, owner, now: now), now)
      }
      guard case .begin(let ticket) = tries.next(now: now) else { continue }
      let end = now + .seconds(1)
      if let waited = mine, waited.ticket == ticket {
        longestWait = max(longestWait, end - waited.since)
        ownersTries += 1
        mine = nil
        #expect(tries.finish(ticket, wasWrong: false, now: end) == .zero)
      } else {
        _ = tries.finish(ticket, wasWrong: true, now: end)
      }
    }
    #expect(sent == 10_000)
    #expect(refused > 9000)
    #expect(ownersTries >= 59)
    #expect(longestWait <= .seconds(2))
  }

  @Test func pairingsAreServedInTurn() throws {
    var tries = Tries()
    let (one, other) = (Token.random(), Token.random())
    for number in 0..<Tries.mostWaiting {
      _ = try entered(&tries, one, "10.0.1.\(number)", now: at(0))
    }
    #expect(tries.enter(one, address: "10.0.1.99", now: at(0)) == nil)
    _ = tries.finish(try begun(&tries, now: at(0)), wasWrong: true, now: at(0))
    let mine = tries.enter(other, address: "10.0.1.1", now: at(0))
    _ = tries.finish(try begun(&tries, now: at(0)), wasWrong: true, now: at(0))
    #expect(try begun(&tries, now: at(0)) == mine)
  }

  /// A password of a space that is not shown takes longer to refuse than one of none; neither answer shows it.
  @Test func howLongAWrongOneTookIsNotSeen() throws {
    for took in [1, 900, 1100, 1999, 2000] {
      var tries = Tries()
      let pairing = Token.random()
      _ = try entered(&tries, pairing, now: at(10))
      let end = at(10) + .milliseconds(took)
      #expect(tries.finish(try begun(&tries, now: at(10)), wasWrong: true, now: end) == at(13) - end)
      // Nor when the next one begins.
      _ = try entered(&tries, pairing, now: end)
      #expect(tries.next(now: end) == .wait(until: at(13)))
    }
  }

  @Test func pairingsThatAreGoneAreForgotten() throws {
    var tries = Tries()
    for _ in 0..<100 {
      _ = try entered(&tries, .random(), now: at(0))
      _ = tries.finish(try begun(&tries, now: at(0)), wasWrong: true, now: at(0))
    }
    #expect(tries.countsKept == 100)
    _ = try entered(&tries, .random(), now: at(0) + Tries.memory)
    #expect(tries.countsKept == 0)
  }

  @Test func whoLeavesIsNotTried() throws {
    var tries = Tries()
    let ticket = try entered(&tries, .random(), now: at(0))
    tries.leave(ticket)
    #expect(tries.next(now: at(0)) == .nothing)
  }
}
