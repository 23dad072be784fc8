// A slot is two segment files whose names and key come from a password. Each holds the key of a space.
//
// Invariants
// 1. Names and key depend on the password and on one key derivation of the vault. No list of them exists, and without
//    the password neither name leads to the other.
// 2. Each file has the body `copies` times, an eighth of the file apart, each sealed with its own random nonce. So
//    neither a lost file nor bad sectors lose a space, and no two parts are equal. All other bytes are random.
// 3. Each file is written atomically by `Storage.putIfAbsent` and never changes.

package import Crypto
package import Storage
internal import System

/// The content of a slot: the key of a space, and the format of its log.
package struct SlotBody: Sendable {
  static let size = 128
  /// Heads have version 2, which has an owner table.
  static let ownerTable: UInt64 = 1 << 0
  /// The feature bits that this program can read.
  static let knownIncompatible: UInt64 = ownerTable
  /// The feature bits that this program can write; none exist yet.
  static let knownReadOnlyCompatible: UInt64 = 0

  let spaceKey: SecretBytes
  /// The cipher of the space.
  package let suite: CipherSuite
  /// How file data is cut into pages.
  let extents: ExtentFormat
  var compatible: UInt64 = 0
  var readOnlyCompatible: UInt64 = 0
  var incompatible: UInt64 = Self.ownerTable

  init(spaceKey: SecretBytes, suite: CipherSuite, extents: ExtentFormat = .preferred) {
    self.spaceKey = spaceKey
    self.suite = suite
    self.extents = extents
  }

  /// The body in locked memory: key (32) · suite (1) · zero (3) · file page size (4) · database page size (4) · zero
  /// (4) · three feature words (24) · zeros.
  var encoded: SecretBytes {
    var fields = ByteWriter()
    fields.append(suite.rawValue)
    fields.append([UInt8](repeating: 0, count: 3))
    fields.append(UInt32(extents.pageSize))
    fields.append(UInt32(PagesFormat.pageSize))
    fields.append(UInt32(0))
    fields.append(compatible)
    fields.append(readOnlyCompatible)
    fields.append(incompatible)
    fields.pad(to: Self.size - CipherSuite.keySize)
    return unsafe SecretBytes(count: Self.size) { body in
      unsafe spaceKey.withUnsafeBytes { unsafe body.copyBytes(from: $0) }
      unsafe UnsafeMutableRawBufferPointer(rebasing: body[CipherSuite.keySize...]).copyBytes(from: fields.bytes)
    }
  }

  /// Decodes a body.
  ///
  /// - Throws: `.damaged` when the space needs features or page sizes that this program does not support.
  init(decoding body: SecretBytes) throws(VaultError) {
    var fields: [UInt8] = []
    let key = unsafe body.withUnsafeBytes { bytes in
      unsafe fields.append(contentsOf: bytes[CipherSuite.keySize...])
      return unsafe SecretBytes(copying: UnsafeRawBufferPointer(rebasing: bytes[..<CipherSuite.keySize]))
    }
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
    } catch {
      throw .damaged("the space needs a newer agonyfs")
    }
    spaceKey = key
  }

  /// Whether a program of this version may write the space.
  var isWritable: Bool { readOnlyCompatible & ~Self.knownReadOnlyCompatible == 0 }
}

/// The names and the key of a password's slot for one key derivation.
package struct SlotKey: Sendable {
  /// The slot's two files. Either opens the space.
  package let identifiers: [SegmentIdentifier]
  /// The derivation that names and key come from.
  package let derivation: PasswordDerivation
  let key: SecretBytes
  let associatedData: [UInt8]

  static let copies = 8
  static let sealedSize = SlotBody.size + SlotSealing.overhead

  init(derived: SecretBytes, by derivation: PasswordDerivation, associatedData: [UInt8]) {
    self.derivation = derivation
    identifiers = ["agonyfs slot id", "agonyfs second slot id"].map { SegmentIdentifier(of: derived, context: $0) }
    key = KeyedHash.subkey(of: derived, context: "agonyfs slot key")
    self.associatedData = associatedData
  }

  /// One of the two slot files, of `segmentSize` bytes. They share no byte but by chance.
  func seal(_ body: SlotBody, segmentSize: Int) -> [UInt8] {
    var file = [UInt8](repeating: 0, count: segmentSize)
    unsafe file.withUnsafeMutableBytes { unsafe Sodium.fillPadding($0) }
    let plaintext = body.encoded
    for copy in 0..<Self.copies {
      let start = copy * (segmentSize / Self.copies)
      file.replaceSubrange(
        start..<start + Self.sealedSize,
        with: SlotSealing.seal(plaintext, key: key, associatedData: associatedData))
    }
    return file
  }

  /// The body from the first copy that opens; nil when none does.
  func open(_ file: any SegmentReader, segmentSize: Int) throws(VaultError) -> SlotBody? {
    for copy in 0..<Self.copies {
      let offset = copy * (segmentSize / Self.copies)
      guard let sealed = try? file.bytes(at: offset, count: Self.sealedSize), sealed.count == Self.sealedSize,
        let body = SlotSealing.open(sealed, key: key, associatedData: associatedData)
      else { continue }
      return try SlotBody(decoding: body)
    }
    return nil
  }
}
