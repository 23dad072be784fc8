// Opens a space whose key is being replaced.
//
// The key is replaced in four steps, each durable before the next. A crash after any of them loses nothing:
//
// 1. A slot of the new password holds both keys, and the number of the first epoch under the new one. The log continues
//    under the old key, and both passwords open it.
// 2. A head under the old key states that the log continues under the new one. From then on only the new password opens
//    the space.
// 3. The needed data is copied to epochs under the new key, like in any copying forward, and cover is written again.
//    The heads state that this is under way.
// 4. A head states that nothing is under the old key any more. Then the slot needs only the new key.
//
// Invariants
// 1. A process that opens the space with both keys writes nothing under the old one, except the head of step 2. So an
//    attacker who knows the old key and can write the vault cannot make any process continue under it.
// 2. A slot with both keys never loses the new one.

internal import Storage

extension Vault {
  /// Finds the newest state of the space of a body, and the body that leads there. If the body says that the key is
  /// being replaced, the state may show that the replacement has not begun, or that it has ended.
  func recover(_ body: SlotBody, scanning: Bool) throws(VaultError) -> (SlotBody, RecoveredState) {
    guard let before = body.beforeRekeying, let boundary = body.rekeying?.boundary else {
      return (body, try stayingState(of: body, scanning: scanning))
    }
    var found: RecoveredState?
    do throws(VaultError) {
      found = try newestState(of: body, scanning: scanning)
    } catch .damaged {
      // The log may have passed the boundary under the old key.
    }
    guard var state = found, let newest = state.heads.last?.epoch else {
      return (before, try stayingState(of: before, scanning: scanning))
    }
    let isLeft = state.owner?.rekeying == .left(successor: SpaceKeys(body).successorMark)
    if newest >= boundary {
      if case .begun = state.owner?.rekeying { return (body, state) }
      return (body.afterRekeying, try stayingState(of: body.afterRekeying, scanning: scanning))
    }
    if isLeft {
      state.owner?.beginRekeying(branch: SpaceKeys(body).successorMark)
      state.highestEpoch = max(state.highestEpoch, EpochNumber(rawValue: boundary.rawValue - 1))
      return (body, state)
    }
    var old = try stayingState(of: before, scanning: scanning)
    if state.highestEpoch >= boundary, state.origin.warning == nil {
      state.origin.warning = "newer heads cannot be read; an older state is opened read-only"
    }
    old.origin.warning = old.origin.warning ?? state.origin.warning
    return (before, old)
  }

  /// Finds the newest state of the space of a body that has one key.
  ///
  /// - Throws: `.passwordReplaced` when the log continues under another key.
  private func stayingState(of body: SlotBody, scanning: Bool) throws(VaultError) -> RecoveredState {
    let state = try newestState(of: body, scanning: scanning)
    if case .left = state.owner?.rekeying { throw .passwordReplaced }
    return state
  }

  /// Finds the newest state of the space of a body.
  private func newestState(of body: SlotBody, scanning: Bool) throws(VaultError) -> RecoveredState {
    let recovery = Recovery(context: context(of: body), acceptsHoles: scanning)
    while true {
      var newest = scanning ? nil : try recovery.newestExisting()
      // A copy that was made while the space was written may lack all heads that lead to its newest ones.
      if newest == nil { newest = try recovery.newestListed() }
      guard let newest else { throw .damaged("the head of this password's space is missing") }
      // The writer of a space may overtake an observer.
      let found = try recovery.newestByPrefix()
      if let found, found > newest { continue }
      if try recovery.head(following: newest) != nil { continue }
      var state = try recovery.recover(newest: newest)
      if found != newest {
        // The next head gets a number that the search finds without the lost heads, so losing another head does no
        // harm.
        state.origin.isMissedBySearch = true
        let next = try recovery.searchable(from: EpochNumber(rawValue: state.highestEpoch.rawValue + 1))
        state.highestEpoch = EpochNumber(rawValue: next.rawValue - 1)
      }
      return state
    }
  }
}
