// Finds the file that a thumbnail in `.sh_thumbnails` is named for. The standard names a thumbnail by the MD5 of "./"
// and the file's escaped name; older readers leave out the "./" (libxfce4util before 4.19.4), so both count.

internal import Albums
internal import Crypto
internal import Index
internal import Synchronization
internal import System
internal import SystemPackage
internal import Vault

/// Digests of the names in the directories used last.
final class NameDigests: Sendable {
  /// Names whose digests are kept at most; in a directory with more, thumbnails are not found by digest.
  private static let limit = 200_000

  private struct Directory {
    var number: InodeNumber
    var changed: Timestamp
    /// Maps the first eight bytes of a digest to the entry's cookie.
    var cookies: [UInt64: UInt64]
  }

  private let directories = Mutex<[Directory]>([])

  /// The entry that a digest names, and its inode; nil if there is none.
  func find(
    _ digest: [UInt8], in directory: InodeNumber, _ fileSystem: FileSystem
  ) throws(Errno) -> (name: FileName, inode: InodeNumber)? {
    guard let cookie = try cookies(of: directory, fileSystem)[Self.key(digest)] else { return nil }
    var found: (name: FileName, inode: InodeNumber)?
    try fileSystem.list(directory, after: cookie - 1) { name, inode, _, place in
      if place == cookie { found = (copy name, inode) }
      return false
    }
    guard let found, Self.digests(of: found.name).contains(digest) else { return nil }
    return found
  }

  private func cookies(of directory: InodeNumber, _ fileSystem: FileSystem) throws(Errno) -> [UInt64: UInt64] {
    let changed = try fileSystem.attributes(of: directory).changed
    let known = directories.withLock { all in all.first { $0.number == directory && $0.changed == changed }?.cookies }
    if let known { return known }
    var names: [(FileName, UInt64)] = []
    try fileSystem.list(directory, after: 2) { name, _, kind, cookie in
      if kind == FileKind.regular >> 12 { names.append((copy name, cookie)) }
      return names.count <= Self.limit
    }
    var cookies: [UInt64: UInt64] = [:]
    if names.count <= Self.limit {
      cookies.reserveCapacity(2 * names.count)
      for (name, cookie) in names {
        for digest in Self.digests(of: name) { cookies[Self.key(digest)] = cookie }
      }
    }
    directories.withLock { all in
      all.removeAll { $0.number == directory }
      all.append(Directory(number: directory, changed: changed, cookies: cookies))
      while all.count > 1, all.reduce(0, { $0 + $1.cookies.count }) > Self.limit || all.count > 4 { all.removeFirst() }
    }
    return cookies
  }

  /// The first eight bytes of a digest.
  static func key(_ digest: [UInt8]) -> UInt64 { digest.prefix(8).reduce(0) { $0 << 8 | UInt64($1) } }

  /// The digests by which a file's thumbnail may be named.
  static func digests(of name: FileName) -> [[UInt8]] {
    let escaped = escape(name.bytes)
    return [[0x2E, 0x2F] + escaped, escaped].compactMap { NameDigest.md5($0) }
  }

  /// A name as GLib writes it in a URI (`g_filename_to_uri`, its class of characters for paths).
  static func escape(_ name: [UInt8]) -> [UInt8] {
    var escaped: [UInt8] = []
    for byte in name {
      switch byte {
      case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: escaped.append(byte)
      case _ where "!$&'()*+,-./:=@_~".utf8.contains(byte): escaped.append(byte)
      default: escaped += [0x25] + Hexadecimal.digits(of: [byte], isUppercase: true)
      }
    }
    return escaped
  }

  /// The digest in a file name "<32 hexadecimal digits>.png".
  static func digest(named name: FileName) -> [UInt8]? {
    let bytes = name.bytes
    guard bytes.count == 36, bytes.suffix(4).elementsEqual(".png".utf8) else { return nil }
    return Hexadecimal.bytes(of: bytes.dropLast(4))
  }
}
