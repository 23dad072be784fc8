internal import Glibc

/// The directory that this program is in. The programs that it starts are in it, too.
enum OwnFolder {
  /// The path of a program there.
  static func path(of program: String) -> String {
    var own = [CChar](repeating: 0, count: Int(PATH_MAX))
    let count = unsafe own.withUnsafeMutableBufferPointer { bytes in
      guard let base = bytes.baseAddress else { return 0 }
      return unsafe readlink("/proc/self/exe", base, bytes.count)
    }
    let bytes = own.prefix(max(0, count)).map { UInt8(bitPattern: $0) }
    let directory = bytes.prefix((bytes.lastIndex(of: UInt8(ascii: "/")) ?? -1) + 1)
    return String(decoding: directory, as: UTF8.self) + program
  }
}
