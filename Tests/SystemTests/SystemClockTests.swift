import Glibc
import Testing

@testable import System

@Suite struct SystemClockTests {
  @Test func theMonotonicClockGoesForward() {
    let (start, precise) = (monotonicTime(), preciseMonotonicTime())
    // The one that is cheap to read may be a tick behind.
    #expect(precise >= start)
    let seconds = monotonicSeconds()
    usleep(20_000)
    #expect(monotonicTime() >= start + 10_000_000)
    #expect(preciseMonotonicTime() >= precise + 20_000_000)
    #expect(monotonicSeconds() >= seconds)
    #expect(monotonicSeconds() >= Int64(start / 1_000_000_000))
  }

  @Test func theTimeOfDayIsThatOfTheSystem() {
    let before = Int64(time(nil))
    let time = timeOfDay()
    // time(2) may be a tick behind.
    #expect((before...Int64(Glibc.time(nil)) + 1).contains(time.seconds))
    #expect(time.nanoseconds < 1_000_000_000)
  }
}
