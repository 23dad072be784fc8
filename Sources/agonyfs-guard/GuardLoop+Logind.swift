internal import CPlatform
internal import Glibc
internal import Guard
internal import System
internal import SystemPackage

/// The messages from and to logind.
extension GuardLoop {
  func connect() {
    do throws(Errno) {
      let bus = try Bus(.system)
      logind = logind.forNewConnection()
      try logind.begin(bus)
      systemBus = bus
    } catch {
      failed("the system bus cannot be reached: \(error.description)")
    }
  }

  func processSystem() {
    do throws(Errno) {
      while let bus = systemBus, let message = try bus.next() {
        for finding in try logind.take(message, bus) { take(finding) }
      }
    } catch {
      failed("the connection to the system bus broke: \(error.description)")
    }
  }

  private func take(_ finding: Logind.Finding) {
    switch finding {
    case .event(let event):
      if event == .logindIsThere { logindIsThere() }
      handle(event)
    case .inhibitors(let descriptors):
      inhibitors = descriptors
      isRefused = false
      becomeReady()
      handle(.inhibitorGiven)
    case .refused(let reason):
      if !isRefused { Report.line("Logind refused the inhibitor lock: \(reason). The guard will ask again.") }
      isRefused = true
      // During a sleep logind refuses the lock, which is not a failure.
      becomeReady()
      handle(.inhibitorRefused)
    case .patience(let time): patience = time
    case .leader(let process, let session): watch(process, of: session)
    case .gone: failed("it has ended")
    case .failed(let reason): failed(reason)
    }
  }

  private func logindIsThere() {
    if isWithoutLogind { Report.line("Logind is available again.") }
    isWithoutLogind = false
    delays[.system] = nil
    if machine.delayed.isEmpty { becomeReady() }
  }

  private func becomeReady() {
    guard !isReady else { return }
    isReady = true
    timers[.start] = nil
    if causes.contains(.lock) { connectSession() }
    Report.line("On guard: \(LockCause.text(causes)).")
    Report.isReady()
    Report.state("On guard: \(LockCause.text(causes))")
  }

  private func watch(_ process: pid_t, of session: String) {
    guard leaders[session] == nil else { return }
    do throws(Errno) {
      leaders[session] = try Descriptor(systemCall { agonyfs_process_descriptor(process) })
    } catch .noSuchProcess {
      leaderEnded(of: session)
    } catch {
      // Logind still reports when the whole session has ended.
    }
  }

  func leaderEnded(of session: String) {
    leaders[session] = nil
    if let finding = logind.leaderEnded(of: session) { take(finding) }
  }

  func askForInhibitor() {
    guard let bus = systemBus else { return }
    do throws(Errno) {
      try logind.askForInhibitors(bus, delaying: machine.delayed)
    } catch {
      failed("the connection to the system bus broke: \(error.description)")
    }
  }

  /// Handles the loss of logind, without which sleep, lock and logout are not noticed. The guard retries, unless it has
  /// never worked.
  func failed(_ reason: String) {
    guard result == nil else { return }
    guard isReady else {
      Report.line(
        """
        Logind cannot report when to lock (\(reason)). Mount with --idle, and choose a key on the keyboard for \
        agonyfs lock.
        """)
      result = false
      return
    }
    if !isWithoutLogind { Report.line("The connection to logind is lost (\(reason)); the guard will connect again.") }
    isWithoutLogind = true
    systemBus = nil
    setAgain(.system, most: 8)
  }
}
