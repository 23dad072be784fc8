internal import System

/// The bytes of lower-case hexadecimal digits; spaces and line breaks between them do not count.
package func bytes(_ hexadecimal: String) -> [UInt8] {
  let digits = hexadecimal.utf8.filter { $0 != UInt8(ascii: " ") && $0 != UInt8(ascii: "\n") }
  guard let bytes = Hexadecimal.bytes(of: digits) else { preconditionFailure("no hexadecimal digits") }
  return bytes
}
