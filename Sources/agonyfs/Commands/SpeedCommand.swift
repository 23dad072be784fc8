internal import ArgumentParser
internal import Crypto

struct SpeedCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "speed", abstract: "Measure ciphers and password work on this machine.", discussion: HelpText.speed)

  /// How long each cipher is measured, in milliseconds.
  private static let milliseconds = 200

  func run() throws {
    for suite in CipherSuite.allCases {
      let mebibytes = suite.bytesPerSecond(milliseconds: Self.milliseconds) / 0x1p20
      Output.line("\(Self.padded(suite.name))\(Int(mebibytes.rounded())) MiB/s on one core")
    }
    for cost in KeyDerivationCost.allCases {
      let derivation = PasswordDerivation(cost: cost)
      let memory = ByteSize(bytes: Int64(derivation.memory))
      let name = Self.padded("--kdf \(cost.rawValue)")
      Output.line(
        derivation.seconds.map { "\(name)\($0) s and \(memory) for each password" }
          ?? "\(name)needs \(memory) of free memory, and there is less")
    }
  }

  private static func padded(_ name: String) -> String {
    name + String(repeating: " ", count: max(1, 22 - name.count))
  }
}
