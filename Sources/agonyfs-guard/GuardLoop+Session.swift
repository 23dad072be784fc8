internal import Guard
internal import SystemPackage

/// The messages from the session's bus.
extension GuardLoop {
  func connectSession() {
    do throws(Errno) {
      let bus = try Bus(.session)
      try ScreenLockers.begin(bus)
      sessionBus = bus
    } catch {
      sessionFailed(error)
    }
  }

  func processSession() {
    do throws(Errno) {
      while let message = try sessionBus?.next() {
        isWithoutSessionBus = false
        delays[.session] = nil
        if ScreenLockers.isLocked(message) { handle(.seen(.lock)) }
      }
    } catch {
      sessionFailed(error)
    }
  }

  private func sessionFailed(_ error: Errno) {
    if !isWithoutSessionBus {
      Report.line("The session bus cannot be reached (\(error.description)); only logind reports locked screens.")
    }
    isWithoutSessionBus = true
    sessionBus = nil
    setAgain(.session, most: 64)
  }
}
