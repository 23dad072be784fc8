internal import Glibc

/// An address of this machine.
package struct LocalAddress: Hashable, Sendable {
  /// The form in a URL, without brackets.
  package let text: String
  /// 4 or 16 bytes.
  package let bytes: [UInt8]

  /// Whether it can be reached only from this machine.
  package var isLoopback: Bool { bytes.count == 4 ? bytes[0] == 127 : bytes == [UInt8](repeating: 0, count: 15) + [1] }

  /// Whether it stands for all addresses.
  package var isAny: Bool { bytes.allSatisfy { $0 == 0 } }

  /// The form as the host of a URL.
  package var host: String { bytes.count == 4 ? text : "[\(text)]" }

  /// Parses an address; nil for names.
  package init?(_ text: String) {
    var version4 = in_addr()
    var version6 = in6_addr()
    if unsafe inet_pton(AF_INET, text, &version4) == 1 {
      bytes = unsafe withUnsafeBytes(of: &version4) { unsafe Array($0) }
    } else if unsafe inet_pton(AF_INET6, text, &version6) == 1 {
      bytes = unsafe withUnsafeBytes(of: &version6) { unsafe Array($0) }
    } else {
      return nil
    }
    self.text = text
  }
}
