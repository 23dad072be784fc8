internal import Glibc

/// The path of a program that is built beside the tests: in the folder that `AGONYFS_TEST_BUILT` names, where
/// `scripts/test-programs` copies them so that every user may start them, or else where it was built.
package func builtProgram(_ name: String) -> String {
  if let folder = unsafe getenv("AGONYFS_TEST_BUILT").map({ unsafe String(cString: $0) }) { return folder + "/" + name }
  var buffer = [CChar](repeating: 0, count: 4096)
  let count = unsafe readlink("/proc/self/exe", &buffer, buffer.count)
  let own = String(decoding: buffer[..<max(count, 0)].map { UInt8(bitPattern: $0) }, as: UTF8.self)
  return own.split(separator: "/").dropLast().reduce("") { $0 + "/" + $1 } + "/" + name
}
