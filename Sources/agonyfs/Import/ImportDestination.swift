internal import CPlatform
internal import Catalog
internal import Client
internal import Glibc
internal import HostFiles
internal import Import
internal import Mount
internal import System
internal import SystemPackage

struct ImportDestination {
  let mountPoint: [UInt8]
  /// The album in the space that receives all files.
  let album: [[UInt8]]

  /// Finds the album of a path, whose last components need not exist yet, and of an album below it.
  init(_ path: [UInt8], into: [UInt8]?) throws {
    var existing = path
    while existing.count > 1, existing.last == UInt8(ascii: "/") { existing.removeLast() }
    var missing: [[UInt8]] = []
    while true {
      var status = stat()
      let name = existing.map { CChar(bitPattern: $0) } + [0]
      if unsafe stat(name, &status) == 0 || errno != ENOENT { break }
      guard let slash = existing.lastIndex(of: UInt8(ascii: "/")) else {
        missing.insert(existing, at: 0)
        existing = [UInt8(ascii: ".")]
        break
      }
      missing.insert(Array(existing[(slash + 1)...]), at: 0)
      existing = slash == 0 ? [UInt8(ascii: "/")] : Array(existing[..<slash])
    }
    guard let place = try PhotoLibrary.place(of: existing) else {
      throw PhotoLibrary.notMounted(path)
    }
    mountPoint = place.mountPoint
    let inside = place.path.split(separator: UInt8(ascii: "/")).map { Array($0) }
    let below = (into ?? []).split(separator: UInt8(ascii: "/")).map { Array($0) }
    album = try inside + Self.checked(missing) + Self.checked(below)
    if album.first == Array(".agonyfs".utf8) {
      throw CommandFailure(.usage, "Nothing can be imported into .agonyfs; name an album.")
    }
  }

  private static func checked(_ parts: [[UInt8]]) throws -> [[UInt8]] {
    let parts = parts.filter { !$0.isEmpty && $0 != [0x2E] }
    guard !parts.contains([0x2E, 0x2E]) else {
      throw CommandFailure(.usage, "The path of an album may not contain \"..\"; name the album itself.")
    }
    return parts
  }

  var shown: String { shown(album) }

  /// The path that the user sees for a directory of the space.
  func shown(_ directory: [[UInt8]]) -> String { TerminalText.safe(mountPoint + directory.flatMap { [0x2F] + $0 }) }

  func open(_ calls: FileCalls, toWrite: Bool) throws -> ImportTarget {
    let shown = TerminalText.safe(mountPoint)
    do throws(Errno) {
      let root = try calls.openDirectory(mountPoint)
      if toWrite, try calls.isReadOnly(root) { throw Errno.noSuchFileOrDirectory }
      let incoming = try calls.openDirectory(Array(".agonyfs/incoming".utf8), in: root)
      return ImportTarget(
        root: root, incoming: incoming, device: try calls.status(of: root).device,
        files: MountedFiles(mountPoint: mountPoint))
    } catch .noSuchFileOrDirectory {
      throw CommandFailure(
        .failure,
        "You cannot import into the space at \(shown): it is mounted read-only, belongs to another user, or is served "
          + "by an older agonyfs.")
    } catch .permissionDenied {
      throw CommandFailure(.failure, "Only the owner of the mount at \(shown) can import into it.")
    } catch {
      throw CommandFailure(error, doing: "opening \(shown)")
    }
  }
}

/// Finds the files of a mounted space by a request to its catalog.
struct MountedFiles: StoredFiles {
  let mountPoint: [UInt8]
  /// Most sizes in one request.
  private static let most = 300

  func paths(ofSizes sizes: Set<Int64>) throws(Errno) -> [Int64: [[UInt8]]] {
    var found: [Int64: [[UInt8]]] = [:]
    var rest = Array(sizes)[...]
    while !rest.isEmpty {
      var request = CatalogRequest()
      request.sizes = Array(rest.prefix(Self.most))
      rest = rest.dropFirst(Self.most)
      do {
        var reader = try MountedSource(mountPoint: mountPoint).answer(to: request)
        _ = try reader.lines { line in
          let file = try JSONReader.value(of: Array(line))
          guard let size = file["size"]?.whole, let path = CatalogRecord.path(in: file) else { return }
          found[Int64(size), default: []].append(path)
        }
      } catch let error as Errno {
        throw error
      } catch {
        throw .ioError
      }
    }
    return found
  }
}
