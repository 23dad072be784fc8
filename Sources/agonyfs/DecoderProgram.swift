internal import Glibc
internal import Logging
internal import Media

/// The image decoder; it is in the same directory as this program.
enum DecoderProgram {
  /// Its path.
  static var path: String {
    var own = [CChar](repeating: 0, count: Int(PATH_MAX))
    let count = unsafe own.withUnsafeMutableBufferPointer { bytes in
      guard let base = bytes.baseAddress else { return 0 }
      return unsafe readlink("/proc/self/exe", base, bytes.count)
    }
    let bytes = own.prefix(max(0, count)).map { UInt8(bitPattern: $0) }
    let directory = bytes.prefix((bytes.lastIndex(of: UInt8(ascii: "/")) ?? -1) + 1)
    return String(decoding: directory, as: UTF8.self) + "agonyfs-decoder"
  }

  /// How the kernel of this machine confines it, for people.
  static var confinement: String {
    let decoder = Decoder(
      program: path, sandbox: .preferred, logger: Logger(label: "agonyfs", factory: { _ in SwiftLogNoOpLogHandler() }))
    defer { decoder.stop() }
    do throws(DecoderError) {
      return "\(try decoder.startedState())"
    } catch {
      return "cannot be started"
    }
  }
}
