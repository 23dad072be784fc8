@testable import Library

extension VirtualContent {
  /// What is in memory as a whole.
  var bytes: [UInt8] { if case .bytes(let bytes) = self { bytes } else { [] } }
}
