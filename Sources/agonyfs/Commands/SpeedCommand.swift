internal import ArgumentParser
internal import Crypto
internal import Glibc

/// `agonyfs speed`.
struct SpeedCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "speed", abstract: "Measure ciphers and password work on this machine.", discussion: HelpText.speed)

  /// How long each cipher is measured.
  private static let milliseconds = 200

  func run() throws {
    for suite in CipherSuite.allCases {
      let mebibytes = suite.bytesPerSecond(milliseconds: Self.milliseconds) / 0x1p20
      Output.line("\(Self.padded(suite.name))\(Int(mebibytes.rounded())) MiB/s on one core")
    }
    let password = unsafe withUnsafeBytes(of: 0) { unsafe Password(copying: $0) }
    for cost in KeyDerivationCost.allCases {
      let derivation = PasswordDerivation(cost: cost)
      let clock = ContinuousClock()
      var succeeded = false
      let time = clock.measure { succeeded = derivation.derive(password) != nil }
      let memory = ByteSize(bytes: Int64(derivation.memory))
      let name = Self.padded("--kdf \(cost.rawValue)")
      Output.line(
        succeeded
          ? "\(name)\(Self.seconds(time)) s and \(memory) for each password"
          : "\(name)needs \(memory) of memory, which is not free")
    }
  }

  private static func padded(_ name: String) -> String {
    name + String(repeating: " ", count: max(1, 22 - name.count))
  }

  private static func seconds(_ time: Duration) -> String {
    let hundredths = time.components.seconds * 100 + time.components.attoseconds / 10_000_000_000_000_000
    let fraction = hundredths % 100
    return "\(hundredths / 100).\(fraction < 10 ? "0" : "")\(fraction)"
  }
}
