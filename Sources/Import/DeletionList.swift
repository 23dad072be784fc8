// The list of originals that may be deleted. It lies in the space and is durable before the first original is deleted.
//
// Invariants
// 1. An original is on the list only if the space has its content, verified in this run, and the same holds for every
//    name of its group.
// 2. The list, and everything that was imported, is durable before an original is deleted (`seal`).
// 3. A list gets the name that later runs search for only when it is complete and durable, and the user wants the
//    originals deleted (`begin`). Its run holds a lock on it. An unlocked list belongs to an interrupted run: some of
//    its originals may already be deleted, and the rest still have to be.
// 4. No metadata of the host is stored in the space: the list contains inode numbers and times only as hashes, with a
//    key that only the run has.

package import HostFiles
package import System
package import SystemPackage

/// The list of a run.
package final class DeletionList {
  /// The prefix of the names of lists.
  package static let prefix = Array("originals-".utf8)
  private static let step = 64 << 10

  private let calls: FileCalls
  private let directory: Descriptor
  private let name: [UInt8]
  /// The name until the list is complete.
  private let partial: [UInt8]
  private var hasBegun = false
  private var file: Descriptor?
  /// The number of originals on the list, and their size in bytes.
  package private(set) var count = 0
  package private(set) var bytes: Int64 = 0

  /// A new list, whose file is created with the first original.
  package init(_ calls: FileCalls, in incoming: Descriptor, named suffix: [UInt8]) {
    self.calls = calls
    directory = incoming
    name = Self.prefix + suffix
    partial = Array(".partial-".utf8) + name
  }

  /// Opens the list of an interrupted run.
  ///
  /// - Throws: `EBUSY` if its run is still going on.
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

  /// Appends originals.
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

  /// Makes durable everything that was imported, and the list. No original is deleted before that.
  package func seal() throws(Errno) {
    if let file { try calls.flush(file) }
    try calls.flush(directory)
  }

  /// Makes the decision to delete the originals durable.
  func begin() throws(Errno) {
    guard file != nil, !hasBegun else { return }
    try calls.rename(partial, in: directory, to: name, in: directory)
    hasBegun = true
    try calls.flush(directory)
  }

  /// Calls `body` for each original, until it returns false.
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

  /// Removes the list, so that no original is deleted, and resets the counts.
  package func clear() {
    try? remove()
    (count, bytes) = (0, 0)
  }

  /// Removes the list; its originals are no longer to be deleted.
  package func remove() throws(Errno) {
    guard file != nil else { return }
    file = nil
    try calls.unlink(hasBegun ? name : partial, in: directory)
  }
}
