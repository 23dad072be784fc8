package import Crypto
internal import Glibc
internal import Storage
internal import System
internal import SystemPackage

/// How a vault is made.
package struct VaultCreationOptions: Sendable {
  /// Bytes of every segment file; a power of two from 1 to 64 MiB.
  package var segmentSize = SegmentFormat.defaultSize
  /// What a password costs whoever tries it.
  package var derivation = PasswordDerivation(cost: .moderate)
  /// Cover to add to what chance gives, in bytes.
  package var extraCover: Int64 = 0

  /// The defaults.
  package init() {}
}

extension Vault {
  private static let segmentsFolder = "segments"

  /// Makes a vault without a space: directory, folders, cover, and last the parameters, without which it is none.
  ///
  /// - Throws: `.vaultExists` when a vault, or anything else, is at the path; `.noSpace`; `.system`.
  package static func create(at path: String, options: VaultCreationOptions) throws(VaultError) -> Vault {
    let parameters = VaultParameters(
      identifier: Sodium.randomBytes(VaultParameters.identifierSize), segmentSize: options.segmentSize,
      derivations: [options.derivation])
    do throws(Errno) {
      do throws(Errno) {
        try systemCall { unsafe mkdir(path, 0o700) }
      } catch .fileExists {
        guard (try? Directory.isEmpty(path)) == true else { throw .fileExists }
      } catch {
        throw error
      }
      let segments = path + "/" + segmentsFolder
      try systemCall { unsafe mkdir(segments, 0o700) }
      try DirectoryStorage.createFolders(in: segments)
      let storage = try DirectoryStorage(path: segments)
      let vault = Vault(storage: storage, parameters: parameters)
      try vault.addCover(extraBytes: options.extraCover)
      try WholeFile.replace(
        VaultParameters.fileName, in: try Descriptor.open(path, O_RDONLY | O_DIRECTORY), with: parameters.json)
      return vault
    } catch .fileExists, .directoryNotEmpty {
      throw .vaultExists
    } catch .noSpace, .diskQuotaExceeded {
      throw .noSpace
    } catch {
      throw .system(error, "creating the vault")
    }
  }

  /// Opens the vault at a path.
  ///
  /// - Throws: `.vaultMissing`, `.notAVault`, `.newerFormat`, `.system`.
  package static func open(at path: String) throws(VaultError) -> Vault {
    let json: [UInt8]
    do throws(Errno) {
      json = try WholeFile.read(path + "/" + VaultParameters.fileName, limit: VaultParameters.fileLimit)
    } catch .noSuchFileOrDirectory {
      var information = stat()
      guard unsafe stat(path, &information) == 0 else { throw .vaultMissing }
      throw .notAVault("it has no \(VaultParameters.fileName)")
    } catch .notDirectory {
      throw .notAVault("it is not a directory")
    } catch {
      throw .system(error, "reading \(path)/\(VaultParameters.fileName)")
    }
    let parameters = try VaultParameters(json: json)
    do throws(Errno) {
      return Vault(storage: try DirectoryStorage(path: path + "/" + segmentsFolder), parameters: parameters)
    } catch .noSuchFileOrDirectory, .notDirectory {
      throw .notAVault("it has no directory \(segmentsFolder)")
    } catch {
      throw .system(error, "opening \(path)/\(segmentsFolder)")
    }
  }

  /// Adds random files that no key opens, so that files which a password does not explain are normal.
  func addCover(extraBytes: Int64) throws(Errno) {
    let chance = Int64(Cover.randomCount()) * Int64(parameters.segmentSize)
    let bearable = max(4 * Int64(parameters.segmentSize), storage.capacity().free / 20)
    let count = (min(chance, bearable) + extraBytes) / Int64(parameters.segmentSize)
    for _ in 0..<count {
      let writer = try storage.create(SegmentIdentifier(bytes: Sodium.randomBytes(SegmentIdentifier.size)))
      try padSegment(writer, from: 0, size: parameters.segmentSize)
    }
  }
}

/// How many cover segments a new vault gets.
enum Cover {
  static let least = 4

  /// A number of at least four from a Pareto distribution of exponent 1: half of all vaults get more than 8, one in a hundred more than 400.
  static func randomCount() -> Int {
    var generator = SystemRandomNumberGenerator()
    let uniform = Double.random(in: 0x1p-20..<1, using: &generator)
    return Int(Double(least) / uniform)
  }
}
