internal import Crypto
internal import Glibc
package import HostFiles
package import System
package import SystemPackage

/// The output of an archive's bytes, in order.
package protocol ZipOutput: AnyObject {
  /// Appends bytes; if `isHole` they are zeros, which need not be stored.
  func write(_ bytes: UnsafeRawBufferPointer, isHole: Bool) throws(ExportFailure)
  /// Makes the output durable and names it.
  func finish() throws(ExportFailure)
  /// Removes the output.
  func abandon()
}

/// A stream, such as standard output.
package final class StreamOutput: ZipOutput {
  private let stream: Descriptor

  /// An output to an open descriptor.
  package init(_ stream: Descriptor) { self.stream = stream }

  package func write(_ bytes: UnsafeRawBufferPointer, isHole: Bool) throws(ExportFailure) {
    try ExportFailure.ofDestination { () throws(Errno) in try unsafe stream.writeAll(bytes) }
  }

  package func finish() throws(ExportFailure) {}
  package func abandon() {}
}

/// A file that is named only when it is complete and, unless verification was switched off, was read back.
package final class FileOutput: ZipOutput {
  private let calls: FileCalls
  private let directory: Descriptor
  private let name: [UInt8]
  private let partial: [UInt8]
  private let file: Descriptor
  private let verifies: Bool
  private var isNamed = false
  private var size: Int64 = 0
  private var hasher: ContentHasher? = ContentHasher()

  /// Creates a file in an open directory.
  ///
  /// - Throws: The error of creating it.
  package init(_ calls: FileCalls, _ name: [UInt8], in directory: Descriptor, verifies: Bool) throws(Errno) {
    self.calls = calls
    self.name = name
    self.directory = directory
    self.verifies = verifies
    let random = (0..<8).map { _ in UInt8.random(in: .min ... .max) }
    partial = Array(".agonyfs-export-".utf8) + Hexadecimal.digits(of: random)
    file = try calls.create(partial, in: directory)
  }

  package func write(_ bytes: UnsafeRawBufferPointer, isHole: Bool) throws(ExportFailure) {
    if verifies { unsafe hasher?.update(bytes) }
    if !isHole {
      try ExportFailure.ofDestination { () throws(Errno) in try unsafe calls.write(bytes, to: file, at: size) }
    }
    size += Int64(bytes.count)
  }

  package func finish() throws(ExportFailure) {
    let status = try ExportFailure.ofDestination { () throws(Errno) in
      try calls.flush(file)
      return try calls.status(of: file)
    }
    if verifies {
      let written = FileDigest(size: size, hash: hasher.take()?.finish() ?? [])
      guard try calls.writtenDigest(of: partial, in: directory, status) == written else { throw .writtenDiffers }
    }
    try ExportFailure.ofDestination { () throws(Errno) in
      try calls.moveIfAbsent(partial, to: name, in: directory)
      isNamed = true
      try calls.flush(directory)
    }
  }

  package func abandon() { try? calls.unlink(isNamed ? name : partial, in: directory) }
}
