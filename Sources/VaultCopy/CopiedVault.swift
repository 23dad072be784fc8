internal import Storage
internal import Vault

/// The vault that is copied, as its parameters say when the copy begins.
struct CopiedVault: Sendable {
  /// The bytes of the parameters.
  let json: [UInt8]
  private let parameters: VaultParameters
  private let place: String

  /// Reads the parameters.
  ///
  /// - Throws: `.noVault`, `.unfinished`, `.vault`.
  init(of source: any CopySource) throws(CopyError) {
    place = source.place
    guard let json = try source.readParameters() else {
      throw source.isUnfinished ? CopyError.unfinished(source.place) : CopyError.noVault(source.place)
    }
    self.json = json
    do throws(VaultError) {
      parameters = try VaultParameters(json: json)
    } catch {
      throw .vault(error, source.place)
    }
  }

  /// Bytes of a complete file.
  var segmentSize: Int { parameters.segmentSize }

  /// Lists the files.
  ///
  /// - Throws: `.vault` if there are none.
  func files(of source: any CopySource) throws(CopyError) -> [SegmentIdentifier: CopyEntry] {
    let files = try source.list()
    guard !files.isEmpty else { throw .vault(.notAVault("it has no files in \(StorageNames.segments)"), place) }
    return files
  }

  /// Whether parameters are those of this vault, in any state.
  func isSame(_ json: [UInt8]) -> Bool {
    (try? VaultParameters(json: json))?.identifier == parameters.identifier
  }

  /// Whether parameters have a key derivation that this vault lacks.
  func lacksDerivation(of json: [UInt8]) -> Bool {
    guard let there = try? VaultParameters(json: json) else { return false }
    return !there.derivations.allSatisfy { parameters.derivations.contains($0) }
  }

  /// Calls a function that asks whether parameters may be replaced by those of this vault.
  ///
  /// - Parameter replacesNewer: whether they may if they have a key derivation that this vault lacks.
  /// - Throws: `.newerThere` if only that is why they may not; the errors of the function.
  func ask<Value>(
    _ target: any CopyTarget, replacesNewer: Bool = false,
    _ body: (_ accepts: ([UInt8]) -> Bool) throws(CopyError) -> Value
  ) throws(CopyError) -> Value {
    var isNewer = false
    let accepts = { (json: [UInt8]) -> Bool in
      guard isSame(json) else { return false }
      isNewer = !replacesNewer && lacksDerivation(of: json)
      return !isNewer
    }
    do throws(CopyError) {
      return try body(accepts)
    } catch {
      throw isNewer ? CopyError.newerThere(target.place) : error
    }
  }

  /// Replaces the parameters of a vault before its files are written, if they differ. So an interrupted run leaves a
  /// vault that old and new passwords open.
  ///
  /// - Parameter there: those of the target; nil if it has none. If they have a key derivation that this vault lacks,
  ///   they stay until the end.
  func renew(_ there: [UInt8]?, in target: any CopyTarget) throws(CopyError) {
    guard let there, there != json, !lacksDerivation(of: there) else { return }
    try target.replaceParameters(json)
  }
}
