import Testing
import WebAccess

@Suite struct BodyPaceTests {
  private func at(_ seconds: Int) -> Duration { .seconds(seconds) }

  @Test func whoSendsNothingHasHalfAMinute() {
    var pace = BodyPace()
    pace.waits(now: at(0))
    #expect(pace.timeLeft(now: at(29)) == at(1))
    #expect(pace.timeLeft(now: at(31)) == .zero)
  }

  /// A byte a second is as good as nothing.
  @Test func fewBytesBuyNoTime() {
    var pace = BodyPace()
    for second in 0..<30 {
      pace.waits(now: at(second))
      pace.comes(1, now: at(second + 1))
      pace.rests(now: at(second + 1))
    }
    pace.waits(now: at(30))
    #expect(pace.timeLeft(now: at(30)) == .zero)
  }

  @Test func enoughBytesDo() {
    var pace = BodyPace()
    for second in stride(from: 0, to: 300, by: 20) {
      pace.waits(now: at(second))
      #expect(pace.timeLeft(now: at(second + 20)) == at(10))
      pace.comes(BodyPace.least, now: at(second + 20))
      #expect(pace.timeLeft(now: at(second + 20)) == BodyPace.time)
      pace.rests(now: at(second + 20))
    }
  }

  /// A vault on a slow disk takes a minute for each block.
  @Test func timeInWhichNothingIsWaitedForDoesNotCount() {
    var pace = BodyPace()
    for minute in 0..<100 {
      pace.waits(now: at(minute * 60))
      pace.comes(100, now: at(minute * 60))
      pace.rests(now: at(minute * 60))
      #expect(pace.timeLeft(now: at(minute * 60 + 59)) == nil)
    }
    pace.waits(now: at(6000))
    #expect(pace.timeLeft(now: at(6000)) == BodyPace.time)
  }
}
