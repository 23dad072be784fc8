// Invariants
// 1. An archive has everything that was requested, or breaks off before its end, so that it is never mistaken for a
//    complete one.
// 2. Memory is bounded by a block, the numbers of the photos and the data for the central directory.

internal import Client
internal import Export
internal import Glibc
internal import HostFiles
internal import System
internal import SystemPackage

/// An archive of photos without compression, with ZIP64 where needed, which is generated while it is read.
public struct ZipStream: Sendable {
  private let gallery: Gallery
  private let snapshot: Snapshot
  private let numbers: ZipNumbers
  /// Kept as long as the archive may be read.
  private let place: ZipPlaces.Place?

  /// An archive of photos of a snapshot, with its permit to be read.
  public init(_ numbers: ZipNumbers, of snapshot: Snapshot, in gallery: Gallery, at place: ZipPlaces.Place? = nil) {
    (self.gallery, self.snapshot, self.numbers, self.place) = (gallery, snapshot, numbers, place)
  }

  /// Bytes that are passed on at once.
  private static let block = 256 << 10

  /// Writes the archive to `sink` in order. A photo that is missing or cannot be read ends it.
  ///
  /// - Throws: The error of `sink`, or why a photo cannot be read.
  public func write(to sink: @escaping ([UInt8]) throws -> Void) throws {
    let output = SinkOutput(sink)
    let writer = ZipWriter(to: output, verifies: false, step: Self.block)
    for number in numbers.all {
      var name: String?
      do {
        let item = try snapshot.item(Int(number))
        name = String(decoding: item.path.name, as: UTF8.self)
        let (file, status) = try gallery.opened(item)
        let content = MountedFile(calls: gallery.calls, file: file, status: status)
        var entry = ExportFile(folder: [], name: PortableName.of(item.path.name), content: content)
        entry.modified = status.modified
        entry.permissions = 0o644
        entry.source = content
        _ = try writer.add(entry)
      } catch {
        throw output.failure ?? Self.reason(error, name)
      }
    }
    do {
      try writer.finish()
    } catch {
      throw output.failure ?? Self.reason(error)
    }
  }

  /// Why the archive breaks off, with the name of the photo.
  private static func reason(_ error: any Error, _ name: String? = nil) -> any Error {
    let photo = name ?? "A photo"
    switch error {
    case let error as Errno: return GalleryError(error, photo)
    case ExportFailure.source(let number): return GalleryError(Errno(rawValue: number), photo)
    case ExportFailure.changed: return GalleryError(.conflict, "\(photo) was changed while it was read.")
    case let error as GalleryError: return name.map { GalleryError(error.kind, "\($0): \(error.detail)") } ?? error
    default: return error
    }
  }
}

private final class SinkOutput: ZipOutput {
  private let sink: ([UInt8]) throws -> Void
  /// The error of the sink.
  private(set) var failure: (any Error)?

  init(_ sink: @escaping ([UInt8]) throws -> Void) { self.sink = sink }

  func write(_ bytes: UnsafeRawBufferPointer, isHole: Bool) throws(ExportFailure) {
    do {
      try sink(unsafe Array(bytes))
    } catch {
      failure = error
      throw .destination(EPIPE)
    }
  }

  func finish() throws(ExportFailure) {}
  func abandon() {}
}
