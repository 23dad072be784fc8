internal import WebAccess

/// Checks passwords one after the other, in the order and with the delays of `Tries`.
actor LoginDesk {
  private var tries = Tries()
  private var waiting: [Tries.Ticket: CheckedContinuation<Bool, Never>] = [:]
  private var alarm: Task<Void, Never>?

  /// Waits for the turn of a password. Nil if too many are waiting, or if the request was cancelled.
  func turn(_ pairing: Token, address: String) async -> Tries.Ticket? {
    guard let ticket = tries.enter(pairing, address: address, now: Clock.now) else { return nil }
    let begins = await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        waiting[ticket] = continuation
        if Task.isCancelled { leave(ticket) } else { goOn() }
      }
    } onCancel: {
      Task { await self.leave(ticket) }
    }
    return begins ? ticket : nil
  }

  /// Ends a turn. Returns how long the answer has to be delayed.
  func finish(_ ticket: Tries.Ticket, wasWrong: Bool) -> Duration {
    defer { goOn() }
    return tries.finish(ticket, wasWrong: wasWrong, now: Clock.now)
  }

  private func leave(_ ticket: Tries.Ticket) {
    guard let continuation = waiting.removeValue(forKey: ticket) else { return }
    tries.leave(ticket)
    continuation.resume(returning: false)
  }

  private func goOn() {
    alarm?.cancel()
    switch tries.next(now: Clock.now) {
    case .begin(let ticket): waiting.removeValue(forKey: ticket)?.resume(returning: true)
    case .wait(let until):
      let time = max(.milliseconds(1), until - Clock.now)
      alarm = Task {
        try? await Task.sleep(for: time)
        if !Task.isCancelled { goOn() }
      }
    case .nothing: break
    }
  }
}
