import AlbumsSupport
import FaultyStorage
import SystemPackage
import TestSupport
import Testing

@testable import Albums
@testable import Vault

/// A new key that is interrupted.
extension RekeyingTests {
  @Test(arguments: [0, Int64(count)]) func everyStopLeavesOneThatOpensEverything(_ ownFiles: Int64) throws {
    var cases = CaseCount("power cuts while a space gets a new key")
    var endings: [[String]] = []
    let storage = try filled(ownFiles: ownFiles)
    let start = storage.operationCount
    try replaceKey(in: vault(over: storage))
    let player = TapePlayer(storage.recording)
    let step = TestLength.isLong ? 1 : ownFiles > 0 ? 7 : 3
    let operations = stride(from: start + 1, through: storage.operationCount + 1, by: step)
    for operation in TestLength.sample(Array(operations), 4, name: "\(ownFiles)") {
      player.wind(to: operation)
      for way in [PowerCut.losesAll, .keepsAll, .mixed(seed: UInt64(operation))] {
        let found = player.cut(way, seed: UInt64(operation))
        let comment = Comment(rawValue: "operation \(operation), \(way)")
        let vault = vault(over: found)
        if case .keepsAll = way, ownFiles > 0 {
          // Some are made before others go, and cover goes before it is made again.
          let number = found.names.count { !FaultyStorage.isTemporary($0) }
          #expect((Int(ownFiles) - NewFile.replacingStep...Int(ownFiles) + 2).contains(number), comment)
        }
        let passwords = try opening(vault, comment)
        if endings.last != passwords { endings.append(passwords) }
        let password = try #require(passwords.last, comment)
        try goOn(vault, password, found, ownFiles: Int(ownFiles), comment)
        cases.add()
      }
    }
    #expect(endings.first?.contains(Self.old) == true)
    #expect(endings.last == [Self.new])
    #expect(cases.count > (TestLength.isWhole ? 100 : 11))
  }

  /// The same command ends what was begun, and loses nothing.
  private func goOn(
    _ vault: Vault, _ password: String, _ storage: FaultyStorage, ownFiles: Int, _ comment: Comment
  ) throws {
    let files = try open(vault, password)
    let left = storage.names.count(where: FaultyStorage.isTemporary)
    if ownFiles > 0 { #expect(storage.names.count - left == ownFiles, comment) }
    try files.put([1, 2, 3], files.make("later"))
    let wasRekeying = files.space.isRekeying
    try files.close()
    // The old password may open nothing any more.
    if wasRekeying { try replaceKey(in: vault) }
    try expectLater(vault, password, comment)
    let opening = try opening(vault, comment)
    #expect(opening.contains(password), comment)
    if wasRekeying { #expect(opening == [Self.new], comment) }
    if ownFiles > 0 { #expect(storage.names.count - left == ownFiles, comment) }
    #expect(try SpaceManager.check(in: vault, password: .of(password), readData: true).problems == [], comment)
    let slot = try vault.openSlot(vault.slotKeys(for: .of(password)))
    #expect(slot.body.rekeying?.previousKey == nil && slot.damaged == [] && slot.missing == [], comment)
  }

  /// Where cover is made again it fails, is full or is interrupted; the same command goes on, once there is room.
  @Test(arguments: [Stop.failure, .fullDisk, .interruption])
  func coverThatCannotBeMadeAgainIsMadeLater(_ stop: Stop) throws {
    let counting = try filled(ownFiles: Int64(Self.count))
    let start = counting.operationCount
    try replaceKey(in: vault(over: counting))
    let end = counting.operationCount
    var stops = 0
    let places = Array(stride(from: start + (end - start) / 2, to: end, by: (end - start) / 16))
    for place in TestLength.sample(places.prefix(6), 4, name: "\(stop)") {
      let storage = try filled(ownFiles: Int64(Self.count))
      let vault = vault(over: storage)
      var control = OperationControl()
      switch stop {
      case .failure: storage.inject(.error(.ioError, at: place))
      case .fullDisk: storage.inject(.full(from: place))
      case .interruption: control = OperationControl(isCancelled: { storage.operationCount >= place })
      }
      do {
        try replaceKey(in: vault, control)
      } catch {
        stops += 1
        storage.inject(nil)
        #expect(try opening(vault).last == Self.new)
        // On a disk that stays full it may end, with files too few.
        if case .fullDisk = stop { try? replaceKey(in: vault) }
        storage.setLimit(.max)
        // Perhaps all that failed is what comes after the end.
        do { try replaceKey(in: vault) } catch VaultError.noSpaceOpens { try open(vault, Self.new).close() }
      }
      storage.inject(nil)
      storage.setLimit(.max)
      let comment = Comment(rawValue: "\(stop) at \(place)")
      #expect(try opening(vault) == [Self.new], comment)
      #expect(storage.names.count(where: { !FaultyStorage.isTemporary($0) }) == Self.count, comment)
      #expect(try SpaceManager.check(in: vault, password: .of(Self.new), readData: true).problems == [], comment)
      #expect(try vault.openSlot(vault.slotKeys(for: .of(Self.new))).body.rekeying?.previousKey == nil, comment)
    }
    #expect(stops > 0)
  }

  enum Stop { case failure, fullDisk, interruption }
}
