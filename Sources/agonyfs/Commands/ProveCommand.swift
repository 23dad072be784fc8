internal import Albums
internal import ArgumentParser
internal import Crypto
internal import Glibc
internal import Mount
internal import System
internal import SystemPackage
internal import Vault

/// `agonyfs prove VAULT`, for agonyfs-web, which holds no key: checks whether a mount belongs to a password. The
/// mount's root directory comes as descriptor 3, because a path might lead to another mount by now.
struct ProveCommand: VaultCommand {
  static let configuration = CommandConfiguration(
    commandName: "prove", abstract: "Tell whether a mount belongs to a password.", shouldDisplay: false)

  private static let rootDescriptor: CInt = 3

  @Argument(help: "The vault.", completion: .directory)
  var vault: FilePath

  @OptionGroup
  var opening: OpeningOptions

  func run() throws {
    let (opened, secret) = try openVault(opening, asking: "Password for \(path)")
    let space = try SpaceManager.openSpace(in: opened, password: secret, observing: true)
    guard SpaceProof.isMount(Descriptor(Self.rootDescriptor), of: space) else {
      throw CommandFailure(.spaceInUse, "This mount shows another space.")
    }
  }
}
