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
    var left = old()
    let all = left + space.coverUnderPreviousKey
    let show = { @Sendable [space] (left: Int) in
      let size = Int64(space.segmentBytes)
      control.progress(Int64(all - left - space.coverUnderPreviousKey) * size, Int64(all) * size)
    }
    var fruitless = 0
    do throws(Errno) {
      while left > 0, !control.isCancelled(), fruitless < Self.fruitlessRounds {
        show(left)
        // Room that is asked for may be what the next round needs.
        try clean(isAsked: fruitless % 2 == 1, isTight: space.roomState < .ample) { show(max(0, left - $0)) }
        if fruitless > 0 || space.roomState < .ample { try beginEpochs(2) }
        let before = left
        left = old()
        fruitless = left < before ? 0 : fruitless + 1
      }
      if control.isCancelled() { throw Errno.interrupted }
      if left > 0, locked({ $0.cleaning.unmovable.isEmpty }) { throw Errno.noSpace }
      // Whether to give up is asked after every few files of cover.
      let showing = OperationControl(isCancelled: {
        show(0)
        return control.isCancelled()
      })
      // What died in an epoch can go when two heads came after it.
      for _ in 0..<3 where left == 0 {
        if try result(of: space.finishRekeying(showing)) { return }
        try beginEpochs(1)
      }
    } catch {
      if control.isCancelled() { throw .cancelled }
      if error == .noSpace { throw .noSpace }
      // What a failed write says only once is why everything after it fails.
      let cause = space.gate.reason.map { ", after: \($0)" } ?? ""
      throw .system(error, "encrypting files again\(cause)")
    }
    throw .damaged("files of the vault remain under the key before; see what agonyfs check says")
  }
}
