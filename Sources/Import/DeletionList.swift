// What may be deleted of the sources: a list in the space, which is durable before the first original goes.
//
// Invariants
// 1. An original is on the list only if the space has its content, verified in this run, and so are all names that
//    belong to it.
// 2. The list, and everything that was imported, is durable before an original is deleted (`seal`).
// 3. A list has the name that others look for only when it is whole and durable, and the user wants its originals to be
//    deleted (`begin`). It is locked as long as its run goes on. One that is found unlocked is of a run that was
//    interrupted: some of what is on it may be gone, and the rest is to go.
// 4. Nothing of the host stays in the space: inode numbers and times of originals are on the list as hashes under a key
//    that only the run knows.

package import HostFiles
package import System
package import SystemPackage

/// The list of a run.
package final class DeletionList {
  /// What the names of lists begin with.
  package static let prefix = Array("originals-".utf8)
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
