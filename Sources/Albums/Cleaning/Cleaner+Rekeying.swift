internal import System
internal import SystemPackage
package import Vault

extension Cleaner {
  /// Rounds in a row that may copy nothing before copying is given up.
  private static let fruitlessRounds = 3

  /// Copies everything needed under the previous key to the end of the log. Durable when the file system is closed.
  /// Only for a file system whose options disable cleaning.
  ///
  /// - Parameter all: how many files were under the previous key at first.
  /// - Throws: `.cancelled`, `.noSpace`, `.damaged`, `.system`; then another call can continue.
  package func moveToNewKey(_ all: Int, _ control: OperationControl) throws(VaultError) {
    let old = { [space] in
      space.segments().filter { space.isUnderPreviousKey($0.number) }.count
    }
    let show = { [space] (left: Int) in
      let size = Int64(space.segmentBytes)
      control.progress(Int64(all - left - space.coverUnderPreviousKey) * size, Int64(all) * size)
    }
    var left = old()
    var fruitless = 0
    do throws(Errno) {
      while left > 0, !control.isCancelled(), fruitless < Self.fruitlessRounds {
        show(left)
        // If room was asked for, the next round may need that room.
        try clean(isAsked: fruitless % 2 == 1, isTight: space.roomState < .ample, movesPreviousKey: true) {
          show(max(0, left - $0))
        }
        if fruitless > 0 || space.roomState < .ample { try beginEpochs(2) }
        let before = left
        left = old()
        fruitless = left < before ? 0 : fruitless + 1
      }
      if control.isCancelled() { throw Errno.interrupted }
      if left > 0, fileSystem.locked({ $0.cleaning.unmovable.isEmpty }) { throw Errno.noSpace }
    } catch {
      if control.isCancelled() { throw .cancelled }
      if error == .noSpace { throw .noSpace }
      // A failed write states its cause only once, and everything after it fails for the same cause.
      let cause = space.gate.reason.map { " (the first error: \($0))" } ?? ""
      throw .system(error, "encrypting files again\(cause)")
    }
    if left > 0 {
      throw .damaged("files of the vault remain under the previous key")
    }
  }
}
