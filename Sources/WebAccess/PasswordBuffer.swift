internal import CPlatform
internal import Glibc
internal import System
internal import SystemPackage

/// A password on its way from a request to the program that opens the space. It is locked in memory, and wiped at the
/// end.
@safe public final class PasswordBuffer: @unchecked Sendable {
  // Only one task fills the buffer; afterwards it is only read.
  /// The longest password in bytes, as `agonyfs` limits it.
  public static let limit = 4096
  private let memory: UnsafeMutableRawBufferPointer
  private var count = 0
  private var isTooLong = false

  /// An empty buffer.
  public init() {
    unsafe memory = .allocate(byteCount: Self.limit + 1, alignment: Int(sysconf(Int32(_SC_PAGESIZE))))
    if let base = unsafe memory.baseAddress { _ = unsafe mlock(base, memory.count) }
  }

  deinit {
    if let base = unsafe memory.baseAddress {
      unsafe explicit_bzero(base, memory.count)
      _ = unsafe munlock(base, memory.count)
    }
    unsafe memory.deallocate()
  }

  /// Appends a part of the password, and wipes it at its source.
  public func append(wiping bytes: UnsafeMutableRawBufferPointer) {
    if count + bytes.count > Self.limit {
      isTooLong = true
    } else {
      unsafe UnsafeMutableRawBufferPointer(rebasing: memory[count...]).copyMemory(from: UnsafeRawBufferPointer(bytes))
      count += bytes.count
    }
    if let base = bytes.baseAddress { unsafe explicit_bzero(base, bytes.count) }
  }

  /// Whether it can be a password of a space: neither empty nor too long, and a single line.
  public var isPossible: Bool {
    guard !isTooLong, count > 0 else { return false }
    return unsafe !memory[..<count].contains { $0 == 0x0A || $0 == 0x0D }
  }

  /// Writes the line that `agonyfs` reads. The buffer of a pipe is large enough for it.
  func write(to pipe: Descriptor) throws(Errno) {
    unsafe memory[count] = 0x0A
    try unsafe pipe.writeAll(UnsafeRawBufferPointer(rebasing: memory[...count]))
  }
}
