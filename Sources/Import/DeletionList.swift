// What may be deleted of the sources: a list in the space, which is durable before the first original goes.
//
// Invariants
// 1. An original is on the list only if the space has its content, verified in this run, and so are all names that
//    belong to it.
// 2. The list, and everything that was imported, is durable before an original is deleted (`seal`).
// 3. A list has the name that others look for only when it is whole and durable, and the user wants its originals to be
//    deleted (`begin`). It is locked as long as its run goes on. One that is found unlocked is of a run that was
//    interrupted: some of what is on it may be gone, and the rest is to go.

internal import Crypto
package import System
package import SystemPackage

/// An original that may be deleted.
package struct Original: Hashable, Sendable {
  /// Its directory, absolute, and its name.
  package var directory: [UInt8]
  package var name: [UInt8]
  package var device: UInt64
  package var inode: UInt64
  package var size: Int64
  package var modified: (seconds: Int64, nanoseconds: Int64) { (modifiedSeconds, modifiedNanoseconds) }
  var modifiedSeconds: Int64
  var modifiedNanoseconds: Int64
  var changedSeconds: Int64
  var changedNanoseconds: Int64
  /// The hash of its content, which only the run that made it can compare.
  package var hash: [UInt8]

  init(directory: [UInt8], name: [UInt8], _ status: FileStatus, hash: [UInt8]) {
    self.directory = directory
    self.name = name
    device = status.device
    inode = status.inode
    size = status.size
    modifiedSeconds = status.modified.seconds
    modifiedNanoseconds = status.modified.nanoseconds
    changedSeconds = status.changed.seconds
    changedNanoseconds = status.changed.nanoseconds
    self.hash = hash
  }

  /// Its path.
  package var path: [UInt8] { directory == [0x2F] ? directory + name : directory + [0x2F] + name }

  /// Whether a status is that of the original as it was.
  func isUnchanged(_ status: FileStatus, inodeCounts: Bool) -> Bool {
    status.kind == .file && status.device == device && status.size == size && (!inodeCounts || status.inode == inode)
      && (status.modified.seconds, status.modified.nanoseconds) == (modifiedSeconds, modifiedNanoseconds)
      && (status.changed.seconds, status.changed.nanoseconds) == (changedSeconds, changedNanoseconds)
  }
}

extension Original {
  /// The bytes of a record: the length of the rest in four bytes, seven numbers of eight bytes, the hash, the length of the
  /// directory in four bytes, the directory, the name. Numbers are little-endian.
  var encoded: [UInt8] {
    var body: [UInt8] = []
    for number in [
      Int64(bitPattern: device), Int64(bitPattern: inode), size, modifiedSeconds, modifiedNanoseconds, changedSeconds,
      changedNanoseconds,
    ] {
      body += Self.bytes(of: UInt64(bitPattern: number))
    }
    body += hash + Self.bytes(of: UInt32(directory.count)) + directory + name
    return Self.bytes(of: UInt32(body.count)) + body
  }

  private static func bytes<Number: FixedWidthInteger>(of number: Number) -> [UInt8] {
    (0..<Number.bitWidth / 8).map { UInt8(truncatingIfNeeded: number >> Number($0 * 8)) }
  }

  private static func number<Number: FixedWidthInteger>(_ bytes: ArraySlice<UInt8>) -> Number {
    bytes.reversed().reduce(0) { $0 << 8 | Number(truncatingIfNeeded: $1) }
  }

  /// Most bytes of a record: a path of Linux, and the numbers.
  static let mostBytes = 16_384
  private static let fixedBytes = 7 * 8 + ContentHasher.count + 4

  /// The next record, which is taken from the bytes; nil if they do not begin with a whole one.
  static func next(_ bytes: inout ArraySlice<UInt8>) -> Original? {
    guard bytes.count >= 4 else { return nil }
    let count: UInt32 = number(bytes.prefix(4))
    guard count >= fixedBytes, count <= mostBytes, bytes.count >= 4 + Int(count) else { return nil }
    let body = bytes.dropFirst(4).prefix(Int(count))
    func field(_ index: Int) -> Int64 {
      let start = body.startIndex + index * 8
      return Int64(bitPattern: number(body[start..<start + 8]))
    }
    let hashStart = body.startIndex + 56
    let hashEnd = hashStart + ContentHasher.count
    let length: UInt32 = number(body[hashEnd..<hashEnd + 4])
    let rest = body[(hashEnd + 4)...]
    guard Int(length) < rest.count else { return nil }
    var original = Original(
      directory: Array(rest.prefix(Int(length))), name: Array(rest.dropFirst(Int(length))),
      device: UInt64(bitPattern: field(0)), inode: UInt64(bitPattern: field(1)), size: field(2))
    (original.modifiedSeconds, original.modifiedNanoseconds) = (field(3), field(4))
    (original.changedSeconds, original.changedNanoseconds) = (field(5), field(6))
    original.hash = Array(body[hashStart..<hashEnd])
    bytes = bytes.dropFirst(4 + Int(count))
    return original
  }

  private init(directory: [UInt8], name: [UInt8], device: UInt64, inode: UInt64, size: Int64) {
    self.directory = directory
    self.name = name
    self.device = device
    self.inode = inode
    self.size = size
    modifiedSeconds = 0
    modifiedNanoseconds = 0
    changedSeconds = 0
    changedNanoseconds = 0
    hash = []
  }
}

/// The list of a run.
package final class DeletionList {
  /// What the names of lists begin with.
  package static let prefix = Array("deletions-".utf8)
  private static let step = 64 << 10

  private let calls: FileCalls
  private let directory: Descriptor
  private let name: [UInt8]
  /// The name before it is whole.
  private let partial: [UInt8]
  private var hasBegun = false
  private var file: Descriptor?
  /// Originals on the list, and their bytes.
  package private(set) var count = 0
  package private(set) var bytes: Int64 = 0

  /// A list that is made with its first original.
  package init(_ calls: FileCalls, in incoming: Descriptor, named suffix: [UInt8]) {
    self.calls = calls
    directory = incoming
    name = Self.prefix + suffix
    partial = Array(".partial-".utf8) + name
  }

  /// Opens the list of a run that was interrupted.
  ///
  /// - Throws: `EBUSY` if the run goes on.
  package init(_ calls: FileCalls, in incoming: Descriptor, existing name: [UInt8]) throws(Errno) {
    let file = try calls.openFile(name, in: incoming)
    guard try calls.holdAgainstImports(file) else { throw .resourceBusy }
    self.calls = calls
    directory = incoming
    self.name = name
    partial = name
    hasBegun = true
    self.file = file
  }

  /// Adds originals.
  package func add(_ originals: [Original]) throws(Errno) {
    if originals.isEmpty { return }
    let open = if let file { file } else { try make() }
    file = open
    try calls.append(originals.flatMap(\.encoded), to: open)
    count += originals.count
    bytes += originals.reduce(0) { $0 + $1.size }
  }

  private func make() throws(Errno) -> Descriptor {
    let file = try calls.create(partial, in: directory)
    guard try calls.holdAgainstImports(file) else { throw .resourceBusy }
    return file
  }

  /// Makes durable what was imported, and the list. Nothing is deleted before.
  package func seal() throws(Errno) {
    if let file { try calls.flush(file) }
    try calls.flush(directory)
  }

  /// Makes durable that the originals are to be deleted.
  func begin() throws(Errno) {
    guard file != nil, !hasBegun else { return }
    try calls.rename(partial, in: directory, to: name, in: directory)
    hasBegun = true
    try calls.flush(directory)
  }

  /// Calls `body` for all originals, until it returns false.
  package func forEach(_ body: (Original) -> Bool) throws(Errno) {
    guard let file else { return }
    var offset: Int64 = 0
    var rest: ArraySlice<UInt8> = []
    while true {
      let block = try calls.bytes(of: file, at: offset, count: Self.step)
      offset += Int64(block.count)
      rest += block
      while let original = Original.next(&rest) { guard body(original) else { return } }
      rest = ArraySlice(Array(rest))
      if block.isEmpty { return }
    }
  }

  /// Forgets all originals: none is to be deleted.
  package func clear() {
    try? remove()
    (count, bytes) = (0, 0)
  }

  /// Removes the list: nothing on it is to be deleted any more.
  package func remove() throws(Errno) {
    guard file != nil else { return }
    file = nil
    try calls.unlink(hasBegun ? name : partial, in: directory)
  }
}
