internal import Crypto
internal import Glibc
internal import System
internal import SystemPackage

/// Reads a line directly into locked memory.
enum SecretLine {
  /// Longest password, in bytes.
  static let limit = 4096

  /// The outcome of reading a line.
  enum Outcome {
    /// A line, without newline or carriage return and newline. It may be empty.
    case line(Password)
    /// Nothing is left to read.
    case end
    /// The line is longer than `limit`.
    case tooLong
    /// `wait` said to stop.
    case interrupted
  }

  /// Reads up to the next newline and no further, so that a second line can be read later.
  ///
  /// - Parameters:
  ///   - endsAtNewline: whether a newline ends the line; otherwise only the end of the input does.
  ///   - wait: called before every byte; if it returns false, reading stops.
  static func read(
    from descriptor: Descriptor, endsAtNewline: Bool = true, wait: () throws -> Bool = { true }
  ) throws -> Outcome {
    var length = 0
    var ending: Outcome?
    let buffer = try unsafe SecretBytes(count: limit + 2) { buffer in
      while ending == nil {
        guard try wait() else {
          ending = .interrupted
          return
        }
        let slot = unsafe UnsafeMutableRawBufferPointer(rebasing: buffer[length...length])
        if try systemCall({ unsafe Glibc.read(descriptor.number, slot.baseAddress, 1) }) == 0 {
          if length == 0 { ending = .end }
          return
        }
        if unsafe endsAtNewline && slot[0] == UInt8(ascii: "\n") {
          if length > 0, unsafe buffer[length - 1] == UInt8(ascii: "\r") { length -= 1 }
          return
        }
        length += 1
        if length == buffer.count { ending = .tooLong }
      }
    }
    if let ending { return ending }
    guard length <= limit else { return .tooLong }
    return unsafe buffer.withUnsafeBytes { bytes in
      unsafe .line(Password(copying: UnsafeRawBufferPointer(rebasing: bytes[..<length])))
    }
  }
}
