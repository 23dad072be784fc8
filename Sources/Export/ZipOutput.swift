internal import Crypto
internal import Glibc
package import HostFiles
package import System
package import SystemPackage

/// Where the bytes of an archive go, in order.
package protocol ZipOutput: AnyObject {
  /// Writes bytes behind those before; with `isHole` they are zeros, and need not be stored.
  func write(_ bytes: UnsafeRawBufferPointer, isHole: Bool) throws(ExportFailure)
  /// Makes it durable and gives it its name.
  func finish() throws(ExportFailure)
  /// Takes it away.
  func abandon()
}

/// A stream, such as standard output.
package final class StreamOutput: ZipOutput {
  private let stream: Descriptor

  /// Writes to an open descriptor.
  package init(_ stream: Descriptor) { self.stream = stream }

  package func write(_ bytes: UnsafeRawBufferPointer, isHole: Bool) throws(ExportFailure) {
    try ExportFailure.ofDestination { () throws(Errno) in try unsafe stream.writeAll(bytes) }
  }

  package func finish() throws(ExportFailure) {}
  package func abandon() {}
}

/// A file that has a name of its own only when it is whole and, unless that was switched off, was read back.
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

  /// Begins a file in an open directory.
  ///
  /// - Throws: the error of making it.
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
