// Gives names to files that arrived, for imports and uploads.
//
// Invariants
// 1. A file gets a name only after its content in the vault's storage was made durable, read back past every cache and
//    found equal to the written bytes; or if it need not be verified. Only `verify` makes a `VerifiedFile`, and only a
//    `VerifiedFile` gets a name.
// 2. A new name replaces nothing.
// 3. Only `remove` removes a file that gets no name; files that a crash leaves are deleted by the mount after a week.
// 4. No name is durable before the album, or the space, is synced. The caller does that, and may do it once for many
//    files.

package import System
package import SystemPackage

/// A file that was written into the directory for incoming files.
package struct IncomingFile: Sendable {
  /// Its name in that directory.
  package let name: [UInt8]
  /// The open file.
  package let file: Descriptor
  /// The hash of the written bytes; nil if the file need not be verified.
  package let digest: FileDigest?

  /// A file that was written completely.
  package init(_ name: [UInt8], _ file: Descriptor, digest: FileDigest?) {
    self.name = name
    self.file = file
    self.digest = digest
  }
}

/// A file that may get a name. It is not open, so any number of them can wait.
package struct VerifiedFile: Sendable {
  /// Its name in the directory for incoming files.
  package let name: [UInt8]
  /// The hash of the written and stored bytes; nil if the file need not be verified.
  package let digest: FileDigest?

  fileprivate init(_ file: IncomingFile) {
    name = file.name
    digest = file.digest
  }
}

/// Why a file may not get a name.
package enum VerificationFailure: Error, Hashable, Sendable {
  /// The stored bytes differ from the written ones.
  case differs
  /// The stored bytes could not be made durable, or not read back.
  case system(Errno)
}

/// Verifies the files of one directory, and gives them their names.
package struct VerifiedPlacement: Sendable {
  private let calls: FileCalls
  private let incoming: Descriptor

  /// Places the files of one directory.
  ///
  /// - Parameter incoming: the open directory for incoming files.
  package init(_ calls: FileCalls, incoming: Descriptor) {
    self.calls = calls
    self.incoming = incoming
  }

  /// Makes a file durable, reads it back from the vault's storage and compares the hashes. A file without a hash
  /// passes.
  ///
  /// - Throws: `.differs`, `.system`. The file still exists then.
  package func verify(_ file: IncomingFile) throws(VerificationFailure) -> VerifiedFile {
    if let written = file.digest {
      let stored: FileDigest
      do throws(Errno) {
        // The mount syncs the data before it reads it back.
        stored = try calls.digest(of: file.file)
      } catch {
        throw .system(error)
      }
      guard stored == written else { throw .differs }
    }
    return VerifiedFile(file)
  }

  /// Gives a file a name in an open album; false if the name is taken.
  package func place(_ file: VerifiedFile, as name: [UInt8], in album: Descriptor) throws(Errno) -> Bool {
    do throws(Errno) {
      try calls.rename(file.name, in: incoming, to: name, in: album)
      return true
    } catch .fileExists {
      return false
    }
  }

  /// Removes a file that gets no name. A missing file is not an error.
  package func remove(_ name: [UInt8]) throws(Errno) {
    do throws(Errno) {
      try calls.unlink(name, in: incoming)
    } catch .noSuchFileOrDirectory {}
  }
}
