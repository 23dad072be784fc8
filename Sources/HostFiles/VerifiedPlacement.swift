// Files that came get their names: what an import and an upload have in common.
//
// Invariants
// 1. A file gets a name only after what the vault's storage has of it was made durable, was read back past every cache,
//    and was what was written; or if it was not to be verified. Only `verify` makes a `VerifiedFile`, and only a
//    `VerifiedFile` gets a name.
// 2. A name replaces nothing.
// 3. Only `remove` takes away what gets no name; what a crash leaves the mount deletes after a week.
// 4. No name is durable before the album, or the space, is synced. That is for the caller, who may do it once for many.

package import System
package import SystemPackage

/// A file that was written into the directory for what has no name yet.
package struct IncomingFile: Sendable {
  /// What it is called there.
  package let name: [UInt8]
  /// The open file.
  package let file: Descriptor
  /// The hash of what was written; nil if it is not to be verified.
  package let digest: FileDigest?

  /// A file that was written whole.
  package init(_ name: [UInt8], _ file: Descriptor, digest: FileDigest?) {
    self.name = name
    self.file = file
    self.digest = digest
  }
}

/// A file that may get a name. It is not open, so that any number can wait for their names.
package struct VerifiedFile: Sendable {
  /// What it is called until then.
  package let name: [UInt8]
  /// The hash of what was written and is stored; nil if it was not to be verified.
  package let digest: FileDigest?

  fileprivate init(_ file: IncomingFile) {
    name = file.name
    digest = file.digest
  }
}

/// Why a file may not get a name.
package enum VerificationFailure: Error, Hashable, Sendable {
  /// What is stored is not what was written.
  case differs
  /// What is stored could not be made durable, or read back.
  case system(Errno)
}

/// Verifies the files of one directory, and gives them their names.
package struct VerifiedPlacement: Sendable {
  private let calls: FileCalls
  private let incoming: Descriptor

  /// For the files in the open directory `incoming`.
  package init(_ calls: FileCalls, incoming: Descriptor) {
    self.calls = calls
    self.incoming = incoming
  }

  /// Makes what was written to a file durable, reads it back from the vault's storage and compares it. A file without a
  /// hash passes.
  ///
  /// - Throws: `.differs`, `.system`. The file is still there then.
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

  /// Gives a file a name in an open album; false if something has that name.
  package func place(_ file: VerifiedFile, as name: [UInt8], in album: Descriptor) throws(Errno) -> Bool {
    do throws(Errno) {
      try calls.rename(file.name, in: incoming, to: name, in: album)
      return true
    } catch .fileExists {
      return false
    }
  }

  /// Removes a file that gets no name. One that is gone already is no error.
  package func remove(_ name: [UInt8]) throws(Errno) {
    do throws(Errno) {
      try calls.unlink(name, in: incoming)
    } catch .noSuchFileOrDirectory {}
  }
}
