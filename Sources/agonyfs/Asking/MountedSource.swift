internal import Client
internal import SystemPackage

/// A mounted space, which answers through its query door (`CatalogDoor`).
struct MountedSource: PhotoSource {
  let mountPoint: [UInt8]

  func answer(to request: CatalogRequest) throws -> AnswerReader {
    let door = try ask(request)
    do {
      return try AnswerReader(DoorStream(door)) { cursor, told in
        DoorStream(try ask(request.rest(after: cursor, told: told)))
      }
    } catch let failure as AnswerFailure {
      // Options that the user chose were checked before, so the mount does not know a newer option.
      guard failure.message.hasPrefix("The option ") else { throw CommandFailure(failure) }
      throw CommandFailure(
        .mountPointUnusable,
        "An older agonyfs serves the mount at \(TerminalText.safe(mountPoint)); unmount it, and mount it with this one."
      )
    }
  }

  private func ask(_ request: CatalogRequest) throws(CommandFailure) -> CatalogDoor {
    let shown = TerminalText.safe(mountPoint)
    do throws(Errno) {
      let door = try CatalogDoor(of: mountPoint)
      try door.ask(request.bytes)
      return door
    } catch .noSuchFileOrDirectory, .notDirectory {
      throw CommandFailure(
        .mountPointUnusable,
        "The mount at \(shown) does not answer queries; unmount it, and mount it with this agonyfs.")
    } catch .tooManyOpenFiles, .tooManyOpenFilesInSystem {
      throw CommandFailure(
        .failure, "Too many programs query the mount at \(shown) at once; end some of them, and try again.")
    } catch .argListTooLong {
      throw CommandFailure(
        .usage,
        "The query is too long: a mount that is read-only takes at most \(CatalogDoor.mostReadOnlyBytes) bytes.")
    } catch {
      throw CommandFailure(error, doing: "asking the mount at \(shown)")
    }
  }
}
