import AlbumsSupport
import FaultyStorage
import Library
import Storage
import Testing

@testable import Albums
@testable import Vault

/// A space that owns cover, in which a file goes for each that is made.
extension Workload {
  /// The number of files of a space that a seed has own cover; 0 for each second pair of seeds, in which it owns none.
  static func ownFiles(_ count: Int, seed: UInt64) -> Int { seed / 2 % 2 == 1 ? count : 0 }

  /// Makes a space with a file in it, and gives all files that there are then.
  static func makeBystander(in vault: Vault, _ storage: FaultyStorage) throws -> [SegmentIdentifier: [UInt8]] {
    try SpaceManager.addSpace(to: vault, password: passwords[3])
    let files = try vault.mount(passwords[3], copyWindow: 0, library: library()) { $0 = options() }
    try files.put(AlbumsSupport.pattern(50_000, 4), files.make("bystander"))
    try files.close()
    return Dictionary(uniqueKeysWithValues: storage.names.map { ($0, storage.content($0)) })
  }

  /// Opens the space for writing, as the next mount does, and closes it, for what is promised then. Does nothing if it
  /// owns no cover.
  func expectOwnFiles(in storage: FaultyStorage, alone: Bool = true, _ comment: Comment) throws {
    if ownFiles == 0 { return }
    let vault = Vault(storage: storage, parameters: vault.parameters)
    let space = try vault.openSpace(body, copyWindow: 0)
    #expect(space.gate.reason == nil, comment)
    try space.close()
    expectOwnFiles(of: space, in: storage, alone: alone, comment)
  }

  /// Expects what is promised of a space that owns cover, after it was closed: that it has as many files as ever, all
  /// of them whole, its unused cover the right bytes; and that the space beside it was not touched. With `alone`
  /// nothing else is there.
  func expectOwnFiles(of space: Space, in storage: FaultyStorage, alone: Bool = true, _ comment: Comment) {
    if ownFiles == 0 { return }
    let own = Self.ownNames(of: space, in: storage)
    #expect(own.count == ownFiles, comment)
    #expect(space.owner?.fileCount == UInt64(ownFiles), comment)
    for name in own {
      let size = storage.content(name).count
      #expect(size == TestVault.segmentSize, comment)
    }
    for name in Self.coverNames(of: space).intersection(own) {
      // Whatever is written in its place begins at the front.
      var bytes = [UInt8](repeating: 0, count: 256)
      unsafe bytes.withUnsafeMutableBytes { buffer in unsafe space.keys.fillCover(name, part: 0, buffer) }
      let isRight = isSame(Array(storage.content(name).prefix(256)), bytes)
      #expect(isRight, "\(comment): cover has other bytes")
    }
    expectBystander(bystander, in: storage, comment)
    if alone {
      let others = storage.names.filter { !own.contains($0) && !FaultyStorage.isTemporary($0) }
      #expect(Set(others) == Set(bystander.keys), comment)
    }
  }

  /// Expects that files went for others, and that so much was left that the space keeps for copies what they need.
  func expectRoomForCopies() {
    if ownFiles == 0 { return }
    #expect(storage.deletionCount > 10)
    #expect(files.space.roomState == .ample)
  }

  /// What is damaged in a case: mostly not cover, in which nothing can be hurt. Nil for any file.
  func damageable(_ number: Int) -> [SegmentIdentifier]? {
    ownFiles == 0 || number % 8 == 7 ? nil : files.space.segmentIdentifiers()
  }

  /// The files of the space beside, as they are in a storage.
  func bystanderContents(in storage: FaultyStorage) -> [SegmentIdentifier: [UInt8]] {
    Dictionary(uniqueKeysWithValues: bystander.keys.map { ($0, storage.content($0)) })
  }

  /// Expects the files of the space beside. One that damage cut short may have been completed, as a crash's is.
  func expectBystander(_ files: [SegmentIdentifier: [UInt8]], in storage: FaultyStorage, _ comment: Comment) {
    for (name, content) in files {
      let found = storage.content(name)
      let isSame = isSame(Array(found.prefix(content.count)), content)
      let isWhole = found.count == content.count || found.count == TestVault.segmentSize
      #expect(isSame && isWhole, "\(comment): another space was touched")
    }
  }

  /// The files of a space that exist.
  static func ownNames(of space: Space, in storage: FaultyStorage) -> Set<SegmentIdentifier> {
    coverNames(of: space).union(space.owner?.slots ?? []).union(space.segmentIdentifiers()).intersection(storage.names)
  }

  private static func coverNames(of space: Space) -> Set<SegmentIdentifier> {
    Set((space.owner?.allCover ?? []).map(space.keys.coverIdentifier))
  }
}
