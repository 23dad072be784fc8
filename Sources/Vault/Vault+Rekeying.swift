// Opening a space whose key is being replaced.
//
// The key is replaced in four steps, each durable before the next. A crash after any of them loses nothing:
//
// 1. A slot of the new password holds both keys, and the first epoch that is to have the new one. The log goes on under
//    the old key, and both passwords open it.
// 2. A head under the old key says that the log goes on under the new one. From then on only the new password opens the
//    space.
// 3. What is needed is copied to epochs under the new key, like any copying forward, and cover is made again. The heads
//    say that this is under way.
// 4. A head says that nothing is under the old key any more. Then the slot needs the new key only.

internal import Storage

extension Vault {
  /// Finds the newest state of the space of a body, and the body that leads there: one whose key is being replaced may
  /// turn out not to be so yet, or no more.
  func recover(_ body: SlotBody, scanning: Bool) throws(VaultError) -> (SlotBody, RecoveredState) {
    guard let before = body.beforeRekeying, let boundary = body.rekeying?.boundary else {
      let state = try newestState(of: body, scanning: scanning)
      if case .left = state.owner?.rekeying { throw .passwordReplaced }
      return (body, state)
    }
    var found: RecoveredState?
    do throws(VaultError) {
      found = try newestState(of: body, scanning: scanning)
    } catch .damaged {
      // Both keys alone are tried.
    }
    if var state = found, let newest = state.heads.last?.epoch {
      let mark = SpaceKeys(body).successorMark
      switch state.owner?.rekeying {
      case .left(mark) where newest < boundary:
        state.owner?.beginRekeying(branch: mark)
        state.highestEpoch = max(state.highestEpoch, EpochNumber(rawValue: boundary.rawValue - 1))
        return (body, state)
      case .begun where newest >= boundary:
        return (body, state)
      default:
        break
      }
      if newest >= boundary {
        let after = body.afterRekeying
        return (after, try newestState(of: after, scanning: scanning))
      }
    }
    return try recover(before, scanning: scanning)
  }

  /// Finds the newest state of the space of a body.
  private func newestState(of body: SlotBody, scanning: Bool) throws(VaultError) -> RecoveredState {
    let recovery = Recovery(context: context(of: body))
    while true {
      var newest = scanning ? nil : try recovery.newestExisting()
      // A copy that was made while the space was written to may lack all heads that lead to the ones it has.
      if newest == nil { newest = try recovery.newestListed() }
      guard let newest else { throw .damaged("the space of this password has no head") }
      // One who only observes the space may be overtaken by its writer.
      let found = try recovery.newestByPrefix()
      if let found, found > newest { continue }
      if try recovery.head(following: newest) != nil { continue }
      var state = try recovery.recover(newest: newest)
      if found != newest {
        // The next head gets a number that the search finds without the lost heads, so one more loss does no harm.
        state.origin.isMissedBySearch = true
        let next = try recovery.searchable(from: EpochNumber(rawValue: state.highestEpoch.rawValue + 1))
        state.highestEpoch = EpochNumber(rawValue: next.rawValue - 1)
      }
      return state
    }
  }
}
