internal import Albums
internal import ArgumentParser
internal import Crypto
internal import Glibc
internal import Mount
internal import System
internal import SystemPackage
internal import Vault

/// `agonyfs prove VAULT COUNT`, for agonyfs-web, which holds no key: tells which of some mounts belongs to a password.
/// Their root directories come as descriptors 3, 4, …: a path might lead to another mount by now. Prints the number of
/// the first one, from 0; or with `--elsewhere`, if it is none of them, the path of another place in the table of mounts.
struct ProveCommand: VaultCommand {
  static let configuration = CommandConfiguration(
    commandName: "prove", abstract: "Tell which mount belongs to a password.", shouldDisplay: false)

  private static let firstDescriptor: CInt = 3

  @Argument(help: "The vault.", completion: .directory)
  var vault: FilePath

  @Argument(help: "How many root directories come as descriptors.")
  var count: Int

  @Flag(help: "Look at other places where a space of the vault is mounted, too.")
  var elsewhere = false

  @OptionGroup
  var opening: OpeningOptions

  func validate() throws {
    guard (0...5).contains(count) else { throw ValidationError("Up to 5 directories can be given.") }
  }

  func run() throws {
    let (opened, secret) = try openVault(opening, asking: "Password for \(path)")
    let space = try SpaceManager.openSpace(in: opened, password: secret, observing: true)
    for number in 0..<count {
      let root = Descriptor(Self.firstDescriptor + CInt(number))
      if SpaceProof.isMount(root, of: space) { return Output.line(String(number)) }
    }
    if elsewhere, let place = MountedElsewhere.place(of: space, ofVault: path) { return Output.line(place) }
    throw CommandFailure(.spaceInUse, "This space is at none of these places.")
  }
}
