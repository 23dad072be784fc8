internal import Glibc
internal import SystemPackage

/// The directory of this program, which also holds the programs that it starts.
enum OwnFolder {
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

  /// Replaces this process by another program; returns only by throwing.
  ///
  /// - Parameter words: the program's name, then its arguments.
  static func become(_ program: String, _ words: [String], builtBy script: String) throws {
    guard unsafe access(program, X_OK) == 0 else {
      throw CommandFailure(
        .failure, "The program \(words[0]) is not next to agonyfs; build it with \(script), or install the package.")
    }
    var vector = unsafe words.map { unsafe strdup($0) }
    unsafe vector.append(nil)
    unsafe execv(program, vector)
    throw CommandFailure(Errno(rawValue: errno), doing: "starting \(words[0])")
  }
}
