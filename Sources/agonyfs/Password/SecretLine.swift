internal import Crypto
internal import Glibc
internal import System
internal import SystemPackage

/// Reads a line directly into locked memory.
enum SecretLine {
  /// Longest password, in bytes.
  static let limit = 4096

  static let tooLong = CommandFailure(
    .usage, "The password is longer than \(limit) bytes; choose a shorter one.")

  /// Reads up to the next newline and no further, so that another line can be read later.
  ///
  /// - Parameters:
  ///   - endsAtNewline: whether a newline ends the line; if false, only the end of the input does.
  ///   - wait: called before every byte; if it throws, reading stops.
  /// - Returns: the line, without LF or CR LF; it may be empty. Nil at the end of the input.
  /// - Throws: `tooLong`, `Errno`, and the errors of `wait`.
  static func read(
    from descriptor: Descriptor, endsAtNewline: Bool = true, wait: () throws -> Void = {}
  ) throws -> Password? {
    var length = 0
    var isAtEnd = false
    let buffer = try unsafe SecretBytes(count: limit + 2) { buffer in
      while length < buffer.count {
        try wait()
        let slot = unsafe UnsafeMutableRawBufferPointer(rebasing: buffer[length...length])
        isAtEnd = try systemCall({ unsafe Glibc.read(descriptor.number, slot.baseAddress, 1) }) == 0
        if isAtEnd { return }
        if unsafe endsAtNewline && slot[0] == UInt8(ascii: "\n") {
          if length > 0, unsafe buffer[length - 1] == UInt8(ascii: "\r") { length -= 1 }
          return
        }
        length += 1
      }
    }
    if isAtEnd, length == 0 { return nil }
    guard length <= limit else { throw tooLong }
    return unsafe buffer.withUnsafeBytes { bytes in
      unsafe Password(copying: UnsafeRawBufferPointer(rebasing: bytes[..<length]))
    }
  }

  /// Reads the password that another process, which asked for it, writes to the pipe with this number.
  static func passed(through number: CInt) throws -> Password {
    try TracedProcess.refuse()
    guard let password = try read(from: Descriptor(number), endsAtNewline: false) else {
      throw CommandFailure(.failure, "The process that asked for the password has ended.")
    }
    return password
  }
}
