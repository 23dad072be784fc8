internal import System
internal import SystemPackage
package import Vault

extension FileSystem {
  /// Rounds that may copy nothing before copying is given up.
  private static let fruitlessRounds = 3

  /// Copies everything that is under the key before to the end of the log, until nothing is under it any more. Durable
  /// on return. For a file system whose options say that it does not clean.
  ///
  /// - Throws: `.cancelled`, `.noSpace`, `.damaged`, `.system`; then it can go on later.
  package func moveToNewKey(_ control: OperationControl) throws(VaultError) {
    let old = { [space] in
      space.segments().filter { space.isUnderPreviousKey($0.number) }.count
    }
    let all = old()
    var left = all
    var fruitless = 0
    do throws(Errno) {
      while left > 0, !control.isCancelled(), fruitless < Self.fruitlessRounds {
        control.progress(Int64(all - left) * Int64(space.segmentBytes), Int64(all) * Int64(space.segmentBytes))
        // Room that is asked for may be what the next round needs.
        try clean(isAsked: fruitless % 2 == 1, isTight: space.roomState < .ample)
        if fruitless > 0 || space.roomState < .ample { try beginEpochs(2) }
        let before = left
        left = old()
        fruitless = left < before ? 0 : fruitless + 1
      }
      if control.isCancelled() { throw Errno.interrupted }
      if left > 0, locked({ $0.cleaning.unmovable.isEmpty }) { throw Errno.noSpace }
      // What died in an epoch can go when two heads came after it.
      for _ in 0..<3 where left == 0 {
        if try result(of: space.finishRekeying(control)) { return }
        try beginEpochs(1)
      }
    } catch {
      if control.isCancelled() { throw .cancelled }
      if error == .noSpace { throw .noSpace }
      throw .system(error, "encrypting files again")
    }
    throw .damaged("files of the vault remain under the key before; see what agonyfs check says")
  }
}
