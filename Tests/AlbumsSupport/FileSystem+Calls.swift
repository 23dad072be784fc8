package import Albums
package import Index
internal import Library
internal import SystemPackage
internal import TestSupport
internal import Testing
package import Vault

/// Who calls in most tests.
package let caller = Caller(user: 1000, group: 1000)

extension FileName {
  /// A name that is known to be one.
  package static func of(_ text: String) -> FileName {
    guard let name = FileName(text) else { fatalError("not a name: \(text)") }
    return name
  }
}

/// Calls of a file system as tests write them.
extension FileSystem {
  /// Makes an empty file.
  package func make(_ name: String, in parent: InodeNumber = .root, mode: UInt32 = 0o644) throws -> InodeNumber {
    try makeNode(.of(name), in: parent, mode: FileKind.regular | mode, device: 0, caller: caller).inode
  }

  /// Makes a file with some bytes.
  @discardableResult
  package func make(_ name: String, in parent: InodeNumber = .root, with bytes: [UInt8]) throws -> InodeNumber {
    let inode = try make(name, in: parent)
    try put(bytes, inode)
    return inode
  }

  /// Makes a directory.
  package func folder(_ name: String, in parent: InodeNumber = .root) throws -> InodeNumber {
    try makeDirectory(.of(name), in: parent, mode: 0o755, caller: caller).inode
  }

  /// The attributes of what a name stands for.
  package func find(_ name: String, in parent: InodeNumber = .root) throws -> Attributes {
    try lookup(.of(name), in: parent)
  }

  /// Writes bytes, and expects that all are taken.
  package func put(_ bytes: [UInt8], _ inode: InodeNumber, at offset: Int = 0) throws {
    var result: Result<Int, Errno> = .success(0)
    unsafe bytes.withUnsafeBytes { buffer in
      do throws(Errno) {
        result = .success(try unsafe write(inode, at: FileOffset(offset), from: buffer))
      } catch {
        result = .failure(error)
      }
    }
    #expect(try result.get() == bytes.count)
  }

  /// The bytes of a file, from some place to its end if their number is not given.
  package func get(_ inode: InodeNumber, at offset: Int = 0, count: Int? = nil) throws -> [UInt8] {
    let count = try count ?? max(0, Int(attributes(of: inode).size) - offset)
    // Not zeros: what is not filled in must show.
    var bytes = [UInt8](repeating: 0xEE, count: count)
    var result: Result<Int, Errno> = .success(0)
    unsafe bytes.withUnsafeMutableBytes { buffer in
      do throws(Errno) {
        result = .success(try unsafe read(inode, at: FileOffset(offset), into: buffer))
      } catch {
        result = .failure(error)
      }
    }
    return Array(bytes[..<(try result.get())])
  }

  /// The names in a directory, and their inodes.
  package func names(of directory: InodeNumber) throws -> [String: InodeNumber] {
    var found: [String: InodeNumber] = [:]
    try list(directory, after: 2) { name, inode, _, _ in
      found[name.description] = inode
      return true
    }
    return found
  }

  /// Waits until thumbnails were tried of all files but some.
  package func waitUntilNothingIsPending(but count: Int = 0) throws {
    try waitUntil("all thumbnails were tried") { try thumbnailer.mediaCounts().pending <= count }
  }

  /// Changes attributes of a file, as its owner does.
  @discardableResult
  package func change(
    _ inode: InodeNumber, as user: Caller = caller, _ set: (inout AttributeChanges) -> Void
  ) throws -> Attributes {
    var changes = AttributeChanges(caller: user)
    set(&changes)
    return try setAttributes(of: inode, changes)
  }

  /// Gives a file another size.
  package func resize(_ inode: InodeNumber, _ size: Int64) throws { try change(inode) { $0.size = size } }

  /// Sets an extended attribute, as the owner of a file does.
  package func setAttribute(_ name: String, of inode: InodeNumber, to value: [UInt8]) throws {
    try setExtendedAttribute(Array(name.utf8), of: inode, value: value, flags: [], caller: caller)
  }

  /// Takes a file's name away, and forgets the file, as the kernel does with one that nobody has open.
  package func delete(_ name: String, in parent: InodeNumber = .root) throws {
    forget(try unlink(.of(name), in: parent))
  }

  /// Writes and syncs files of so many bytes, with numbers behind a prefix, until there is no room; gives how many. What
  /// was begun then is deleted.
  package func fill(_ prefix: String, size: Int) throws -> Int {
    var count = 0
    var rounds = Rounds(until: "there is no room")
    while true {
      try rounds.begin()
      let name = "\(prefix)\(count)"
      do {
        try put(pattern(size, count), make(name))
        try synchronize()
      } catch Errno.noSpace {
        if try names(of: .root)[name] != nil { try delete(name) }
        return count
      }
      count += 1
    }
  }
}
