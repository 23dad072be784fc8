internal import HostFiles
internal import SystemPackage

/// Naming files in the space.
extension Importer {
  /// Verifies copied files and names them.
  var finisher: CopyFinisher {
    CopyFinisher(calls: calls, placement: VerifiedPlacement(calls, incoming: target.incoming))
  }

  /// Names a verified file in an album, unless the space has its content.
  func place(_ copied: CopiedFile, named name: WantedName, in parts: [[UInt8]]) -> Result {
    do throws(ImportFailure) {
      guard let album = try album(parts) else { return finisher.failed(copied, .interrupted) }
      if let existing = try existing(copied, named: name, in: album) {
        finisher.remove(copied)
        return existing
      }
      return try finisher.name(copied, name, in: album)
    } catch {
      return finisher.failed(copied, error)
    }
  }

  /// Whether an album has a name.
  func has(_ name: [UInt8], in parts: [[UInt8]]) -> Bool {
    guard let album = try? album(parts) else { return false }
    return (try? calls.statusIfTaken(name, in: album.descriptor)) != nil
  }

  /// The outcome of a verified file if an album has its content under exactly this name; nil if not. A file of another
  /// name may describe another photo.
  func present(_ copied: CopiedFile, named name: [UInt8], in parts: [[UInt8]]) -> Result? {
    guard let album = try? album(parts), let existing = existing(copied, under: name, in: album) else { return nil }
    finisher.remove(copied)
    return existing
  }

  /// Links the sidecars of either of two names of a photo next to the other name, if that has no sidecar of the same
  /// kind. The catalog looks only next to the first name. If both names have one, both stay: no rule says which counts.
  func shareSidecars(of one: [UInt8], and other: [UInt8]) throws(ImportFailure) {
    guard let first = try sidecars(beside: one), let second = try sidecars(beside: other) else { return }
    for (source, target) in [(first, second), (second, first)] {
      for (ending, name) in source.names where target.names[ending] == nil {
        // The name of an adjustments file has the photo's stem, that of any other sidecar the photo's full name.
        let beside = ending == "aae" ? Array(target.photo[..<Companions.parts(of: target.photo).stem]) : target.photo
        let free = TakeoutPlan.name(beside: beside, ending: "." + ending)
        do throws(Errno) {
          try calls.link(name, in: source.album.descriptor, to: free, in: target.album.descriptor)
          reservations.note(free, in: target.album.path.split(separator: 0x2F).map { Array($0) })
        } catch .fileExists {
          continue
        } catch {
          throw .space(.init(number: error.rawValue))
        }
      }
    }
  }

  /// The sidecars next to a photo, by their endings.
  private func sidecars(
    beside path: [UInt8]
  ) throws(ImportFailure) -> (album: Album, photo: [UInt8], names: [String: [UInt8]])? {
    var parts = path.split(separator: 0x2F).map { Array($0) }
    guard let photo = parts.popLast(), let album = try album(parts) else { return nil }
    let own = Companions.parts(of: photo)
    let others = reservations.names(in: parts, key: own.key) { (try? calls.names(in: album.descriptor)) ?? [] }
    var names: [String: [UInt8]] = [:]
    for name in others where Companions.kind(of: name) == .companion {
      var stem = Array(name[..<(name.lastIndex(of: 0x2E) ?? 0)])
      let ending = TakeoutText.folded(name[(stem.count + 1)...])
      // If one part of a Takeout was imported alone, its JSON still has the name that Takeout gave it.
      if ending == "json", Companions.kind(of: stem) != .media { stem = TakeoutName.withoutSuffix(stem) ?? stem }
      guard ["xmp", "aae", "json"].contains(ending), (try? calls.status(of: name, in: album.descriptor).kind) == .file
      else { continue }
      // A sidecar with the full name of another photo describes that photo.
      let isWhole = Companions.kind(of: stem) == .media
      guard isWhole ? stem == photo : stem.count == own.stem else { continue }
      if isWhole || names[ending] == nil { names[ending] = name }
    }
    return (album, photo, names)
  }

  /// The outcome that a dry run reports for a file that would be imported. `album` is nil if it would have to be
  /// created.
  func planned(_ wanted: WantedName, in album: Album?, _ parts: [[UInt8]]) throws(ImportFailure) -> Result {
    let name = try freeName(wanted, in: album)
    return (.imported(path: Array((parts + [name]).joined(separator: [0x2F]))), nil, false)
  }

  /// The name that a file would get.
  private func freeName(_ wanted: WantedName, in album: Album?) throws(ImportFailure) -> [UInt8] {
    guard let album else { return wanted.numbered(wanted.first) }
    for name in wanted.candidates {
      let other = try ImportFailure.ofSpace { () throws(Errno) in try calls.statusIfTaken(name, in: album.descriptor) }
      if other == nil { return name }
    }
    throw .noName
  }
}
