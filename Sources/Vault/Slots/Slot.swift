// A slot is two segment files whose names and key come from a password. Each holds the key of a space.
//
// Invariants
// 1. Names and key depend on the password and on one key derivation of the vault. No list of the names exists, and
//    without the password neither name leads to the other.
// 2. Each file has the body `copies` times, an eighth of the file apart, each sealed with its own random nonce. So
//    neither a lost file nor bad sectors lose a space, and no two parts are equal. All other bytes are random.
// 3. Each file is written atomically by `Storage.putIfAbsent` and never changes.

package import Crypto
package import Storage
internal import System

/// The content of a slot: the key of a space, and the format of its log.
package struct SlotBody: Sendable {
  static let size = 128
  /// The size after the space got a new key.
  static let rekeyedSize = 224
  /// Heads have version 2, which has an owner table.
  static let ownerTable: UInt64 = 1 << 0
  /// The space has a new key: the body is longer, and holds the values that are kept from the time before.
  static let rekeyed: UInt64 = 1 << 1
  /// The feature bits that this program can read.
  static let knownIncompatible: UInt64 = ownerTable | rekeyed
  /// The feature bits that this program can write; none exist yet.
  static let knownReadOnlyCompatible: UInt64 = 0

  var spaceKey: SecretBytes
  /// The cipher of the space.
  package let suite: CipherSuite
  /// How file data is cut into pages.
  let extents: ExtentFormat
  /// The values that are kept from the time before the space got a new key; nil if it has its first one.
  var rekeying: Rekeying?
  var compatible: UInt64 = 0
  var readOnlyCompatible: UInt64 = 0
  var incompatible: UInt64 = Self.ownerTable

  init(spaceKey: SecretBytes, suite: CipherSuite, extents: ExtentFormat = .preferred) {
    self.spaceKey = spaceKey
    self.suite = suite
    self.extents = extents
  }

  /// The values that are kept from the time before a space got a new key.
  struct Rekeying: Sendable {
    /// The key for hashes of contents. It stays, so that equal contents keep equal hashes.
    var contentKey: SecretBytes
    /// The key for checkpoint records. It stays, so that a machine still recognises what it has seen of the space.
    var recordKey: SecretBytes
    /// The previous key, while files may still be under it.
    var previousKey: SecretBytes?
    /// The first epoch under the new key, as long as there are epochs before it. It is a power of two, so the search
    /// for the newest head needs no older head.
    var boundary = EpochNumber(rawValue: 0)

    /// The highest boundary. Each new key at least doubles the numbers of epochs.
    static let lastBoundary = EpochNumber(rawValue: 1 << 30)
  }

  /// Whether both hold the same content.
  package func equals(_ other: SlotBody) -> Bool { encoded.equals(other.encoded) }

  /// The body in locked memory: key (32) · suite (1) · zero (3) · file page size (4) · database page size (4) · zero
  /// (4) · three feature words (24) · boundary (4) · zeros; after re-keying also, from byte 128 on: content key (32) ·
  /// record key (32) · previous key (32), zeros if there is none.
  var encoded: SecretBytes {
    var fields = ByteWriter()
    fields.append(suite.rawValue)
    fields.append([UInt8](repeating: 0, count: 3))
    fields.append(UInt32(extents.pageSize))
    fields.append(UInt32(PagesFormat.pageSize))
    fields.append(UInt32(0))
    fields.append(compatible)
    fields.append(readOnlyCompatible)
    fields.append(rekeying == nil ? incompatible : incompatible | Self.rekeyed)
    fields.append(rekeying?.boundary.rawValue ?? 0)
    fields.pad(to: Self.size - CipherSuite.keySize)
    let keySize = CipherSuite.keySize
    return unsafe SecretBytes(count: rekeying == nil ? Self.size : Self.rekeyedSize) { body in
      let put = { (bytes: UnsafeRawBufferPointer, offset: Int) in
        unsafe UnsafeMutableRawBufferPointer(rebasing: body[offset...]).copyBytes(from: bytes)
      }
      unsafe spaceKey.withUnsafeBytes { unsafe put($0, 0) }
      unsafe fields.bytes.withUnsafeBytes { unsafe put($0, keySize) }
      unsafe rekeying?.contentKey.withUnsafeBytes { unsafe put($0, Self.size) }
      unsafe rekeying?.recordKey.withUnsafeBytes { unsafe put($0, Self.size + keySize) }
      unsafe rekeying?.previousKey?.withUnsafeBytes { unsafe put($0, Self.size + 2 * keySize) }
    }
  }

  /// Decodes a body.
  ///
  /// - Throws: `.newerSpace` when the space needs features or page sizes that this program does not support.
  init(decoding body: SecretBytes) throws(VaultError) {
    let keySize = CipherSuite.keySize
    let key = { (offset: Int) in
      unsafe body.withUnsafeBytes { bytes in
        unsafe SecretBytes(copying: UnsafeRawBufferPointer(rebasing: bytes[offset..<offset + keySize]))
      }
    }
    let fields = unsafe body.withUnsafeBytes { bytes in unsafe Array(bytes[keySize..<Self.size]) }
    var reader = ByteReader(fields)
    do throws(ByteReader.Malformed) {
      let suite = CipherSuite(rawValue: try reader.read())
      _ = try reader.readBytes(3)
      let filePage = try reader.read(UInt32.self)
      let databasePage = try reader.read(UInt32.self)
      _ = try reader.read(UInt32.self)
      compatible = try reader.read()
      readOnlyCompatible = try reader.read()
      incompatible = try reader.read()
      guard let suite, let extents = ExtentFormat(pageSize: Int(filePage)),
        databasePage == UInt32(PagesFormat.pageSize),
        incompatible & ~Self.knownIncompatible == 0
      else { throw ByteReader.Malformed() }
      self.suite = suite
      self.extents = extents
      let isRekeyed = incompatible & Self.rekeyed != 0
      guard body.count == (isRekeyed ? Self.rekeyedSize : Self.size) else { throw ByteReader.Malformed() }
      if isRekeyed {
        let boundary = EpochNumber(rawValue: try reader.read())
        guard boundary <= Rekeying.lastBoundary, boundary.rawValue.nonzeroBitCount <= 1 else {
          throw ByteReader.Malformed()
        }
        rekeying = Rekeying(contentKey: key(Self.size), recordKey: key(Self.size + keySize), boundary: boundary)
        if boundary.rawValue > 0 { rekeying?.previousKey = key(Self.size + 2 * keySize) }
      }
    } catch {
      throw .newerSpace
    }
    spaceKey = key(0)
  }

  /// Whether a program of this version may write the space.
  var isWritable: Bool { readOnlyCompatible & ~Self.knownReadOnlyCompatible == 0 }
}

/// The names and the key of a password's slot for one key derivation.
package struct SlotKey: Sendable {
  /// The slot's two files. Each of them opens the space.
  package let identifiers: [SegmentIdentifier]
  /// The derivation that yields the names and the key.
  package let derivation: PasswordDerivation
  let key: SecretBytes
  let associatedData: [UInt8]

  static let copies = 8

  init(derived: SecretBytes, by derivation: PasswordDerivation, associatedData: [UInt8]) {
    self.derivation = derivation
    identifiers = ["agonyfs slot id", "agonyfs second slot id"].map { SegmentIdentifier(of: derived, context: $0) }
    key = KeyedHash.subkey(of: derived, context: "agonyfs slot key")
    self.associatedData = associatedData
  }

  /// The content of one of the two slot files, of `segmentSize` bytes. Any equal bytes in the two are a coincidence.
  func seal(_ body: SlotBody, segmentSize: Int) -> [UInt8] {
    var file = [UInt8](repeating: 0, count: segmentSize)
    unsafe file.withUnsafeMutableBytes { unsafe Sodium.fillPadding($0) }
    let plaintext = body.encoded
    for copy in 0..<Self.copies {
      let start = copy * (segmentSize / Self.copies)
      file.replaceSubrange(
        start..<start + plaintext.count + SlotSealing.overhead,
        with: SlotSealing.seal(plaintext, key: key, associatedData: associatedData))
    }
    return file
  }

  /// The body from the first copy that opens; nil when none does.
  func open(_ file: any SegmentReader, segmentSize: Int) throws(VaultError) -> SlotBody? {
    for copy in 0..<Self.copies {
      let offset = copy * (segmentSize / Self.copies)
      let longest = SlotBody.rekeyedSize + SlotSealing.overhead
      guard let sealed = try? file.bytes(at: offset, count: longest) else { continue }
      for size in [SlotBody.size, SlotBody.rekeyedSize] {
        let body = SlotSealing.open(
          Array(sealed.prefix(size + SlotSealing.overhead)), key: key, associatedData: associatedData)
        if let body { return try SlotBody(decoding: body) }
      }
    }
    return nil
  }
}
