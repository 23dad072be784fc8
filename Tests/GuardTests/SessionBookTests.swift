import Guard
import Testing

@Suite struct SessionBookTests {
  private let desktop = SessionBook.Facts(class: "user", type: "wayland", isLocked: false)
  private let console = SessionBook.Facts(class: "user", type: "tty", isLocked: false)
  private let job = SessionBook.Facts(class: "background", type: "unspecified", isLocked: false)
  private let manager = SessionBook.Facts(class: "manager", type: "unspecified", isLocked: false)

  private func book(_ sessions: [String: SessionBook.Facts]) -> SessionBook {
    var book = SessionBook()
    #expect(book.listed(Set(sessions.keys)) == nil)
    for (path, facts) in sessions { #expect(book.learned(facts, of: path) == nil) }
    return book
  }

  @Test func theGraphicalSessionCountsAndTheLastOne() {
    var book = book(["/1": desktop, "/2": console, "/3": job, "/4": manager, "/5": console])
    #expect(book.ended("/2") == nil)
    #expect(book.ended("/1") == .logout)
    #expect(book.ended("/3") == nil)
    #expect(book.ended("/5") == .logout)
    #expect(book.ended("/4") == nil)
    #expect(book.ended("/other user's") == nil)
  }

  /// What logind lists as closing has ended: a mount that was made in it keeps it in the list.
  @Test func aClosingSessionHasEnded() {
    var closing = console
    closing.isClosing = true
    var book = book(["/1": console, "/2": console])
    #expect(book.learned(closing, of: "/1") == nil)
    #expect(book.learned(closing, of: "/1") == nil)
    #expect(book.listed(["/1", "/2"]) == nil)
    #expect(book.learned(closing, of: "/1") == nil)
    #expect(book.learned(closing, of: "/2") == .logout)
    #expect(SessionBook.Facts(class: "user", type: "tty", isLocked: false, state: "closing") == closing)
  }

  @Test func newClassesOfPeopleCount() {
    for name in ["user", "user-early", "user-incomplete", "user-light"] {
      #expect(SessionBook.Facts(class: name, type: "x11", isLocked: false).isOfPerson)
    }
    for name in ["greeter", "lock-screen", "background", "manager", ""] {
      #expect(!SessionBook.Facts(class: name, type: "x11", isLocked: false).isOfPerson)
    }
  }

  @Test func onlyOwnSessionsCanBeLocked() {
    var book = book(["/1": desktop])
    #expect(book.asked("/1") == .lock)
    #expect(book.asked("/2") == nil)
    #expect(book.hinted(true, of: "/2") == nil)
    #expect(book.hinted(true, of: "/1") == .lock)
    #expect(book.hinted(true, of: "/1") == nil)
    #expect(book.hinted(false, of: "/1") == nil)
    #expect(book.hinted(true, of: "/1") == .lock)
  }

  /// A session of which only the path is known yet can be locked, and end.
  @Test func nothingIsMissedBeforeAllIsKnown() {
    var book = SessionBook()
    #expect(book.listed(["/1", "/2"]) == nil)
    #expect(book.asked("/1") == .lock)
    #expect(book.hinted(true, of: "/1") == .lock)
    #expect(book.ended("/1") == nil)
    #expect(book.ended("/2") == .logout)
  }

  @Test func whatHappenedWhileNobodyListenedCounts() {
    var book = book(["/1": desktop, "/2": console])
    #expect(book.listed(["/2"]) == .logout)
    var locked = console
    locked.isLocked = true
    #expect(book.learned(locked, of: "/2") == .lock)
    // It is known, and not said again when the list comes again.
    #expect(book.listed(["/2"]) == nil)
    #expect(book.learned(locked, of: "/2") == nil)
  }
}
