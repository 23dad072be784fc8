internal import Glibc

/// The path of a program that is built beside the tests.
package func builtProgram(_ name: String) -> String {
  var buffer = [CChar](repeating: 0, count: 4096)
  let count = unsafe readlink("/proc/self/exe", &buffer, buffer.count)
  let own = String(decoding: buffer[..<max(count, 0)].map { UInt8(bitPattern: $0) }, as: UTF8.self)
  return own.split(separator: "/").dropLast().reduce("") { $0 + "/" + $1 } + "/" + name
}
