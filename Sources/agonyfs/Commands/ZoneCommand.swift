internal import ArgumentParser
internal import Client
internal import Library
internal import Mount
internal import System
internal import SystemPackage

struct ZoneCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "zone", abstract: "Show or set the home time zone of a space.", discussion: HelpText.zone)

  @Argument(help: "Where a space is mounted.", completion: .directory)
  var mountPoint: Word

  @Argument(help: "A time zone, such as Europe/Berlin. (default: show the current one)")
  var zone: String?

  func run() throws {
    guard let place = try PhotoLibrary.place(of: mountPoint.bytes) else {
      throw PhotoLibrary.notMounted(mountPoint.bytes)
    }
    guard let zone else {
      do {
        return Output.line(try SpaceZone(ofSpaceAt: place.mountPoint).name ?? "none yet")
      } catch let error as Errno {
        throw CommandFailure(error, doing: "asking the mount at \(TerminalText.safe(place.mountPoint))")
      }
    }
    guard PlaceTables.debian.hasZone(zone) else {
      throw CommandFailure(
        .usage,
        "\"\(TerminalText.safe(zone))\" is not in the zone database, and nothing was changed; list the zones, such as "
          + "Europe/Berlin, with: timedatectl list-timezones")
    }
    do throws(Errno) {
      try OwnerRequest.changeHomeZone(to: zone, at: FilePath(bytes: place.mountPoint))
    } catch .notPermitted {
      throw CommandFailure(.failure, "Only the owner of the space can change its home zone.")
    } catch .readOnlyFileSystem {
      throw CommandFailure(.failure, "The space is mounted read-only; mount it for writing.")
    } catch .invalidArgument {
      throw CommandFailure(
        .failure, "The mount does not know this zone; unmount the space, and mount it with this agonyfs.")
    } catch {
      throw CommandFailure(error, doing: "changing the home zone")
    }
  }
}
