internal import CPlatform
internal import Glibc
internal import Synchronization

/// Protects a process that holds keys, or that handles passwords.
package enum ProcessHardening {
  /// Disables core dumps and tracing by other processes of the user, raises the limits of open files and locked memory
  /// to the hard limits, makes room for descriptors, and makes new files private to the user. Call it before the first
  /// secret is read. Failures are ignored: each step is an additional line of defence, and the process works without
  /// it.
  package static func apply() {
    // With a limit of 1 the kernel starts no crash handler either, which would record the command line. With 0 it
    // starts one.
    var none = rlimit(rlim_cur: 1, rlim_max: 1)
    unsafe setrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &none)
    agonyfs_set_not_dumpable()
    let files = raise(RLIMIT_NOFILE)
    growDescriptorTable()
    raise(__RLIMIT_MEMLOCK)
    let mask = umask(0o077)
    before.withLock { $0 = (files, mask) }
  }

  /// The process that traces this one or a thread of it, and so may read and change all of its memory; nil if none
  /// does. After `apply()` no other process can begin tracing, so a process that checks this afterwards, before the
  /// first secret comes, may continue. Root does not count, because it can read all memory without tracing.
  ///
  /// - Parameter processes: the directory in which the kernel shows processes.
  package static func tracer(in processes: String = "/proc") -> CInt? {
    // Each thread may have a different tracer.
    let threads = (try? Directory.names(in: "\(processes)/self/task")) ?? []
    for thread in ["self"] + threads.map({ "self/task/" + String(decoding: $0, as: UTF8.self) }) {
      guard let tracer = numbers("TracerPid", in: "\(processes)/\(thread)").first, tracer != 0 else { continue }
      // The second number is the effective user.
      let users = numbers("Uid", in: "\(processes)/\(tracer)")
      if users.count < 2 || users[1] != 0 { return tracer }
    }
    return nil
  }

  /// A line of numbers of the `status` of a process or thread in a folder; empty if it cannot be read.
  private static func numbers(_ name: String, in folder: String) -> [CInt] {
    let text = (try? WholeFile.read("\(folder)/status")) ?? []
    let line = text.split(separator: UInt8(ascii: "\n")).first { $0.starts(with: "\(name):".utf8) } ?? []
    let values = String(decoding: line.dropFirst(name.utf8.count + 1), as: UTF8.self)
    return values.split(whereSeparator: \.isWhitespace).compactMap { CInt(String($0)) }
  }

  /// Makes room for a thousand descriptors in the kernel's table of this process. The table is made for 64, and while
  /// it grows in a process of several threads, an open(2) waits for all processors (`synchronize_rcu` in
  /// expand_fdtable, Linux's fs/file.c): 10 to 20 ms.
  private static func growDescriptorTable() {
    let last = fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, CInt(1023))
    if last >= 0 { close(last) }
  }

  /// Call it in a child that is about to execute a program of the user's. Restores the mask of modes and the limit of
  /// open files that this process had before `apply()`. The child still makes no core dumps.
  package static func restoreForProgram() {
    let (files, mask) = before.withLock { $0 }
    if var files { unsafe setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &files) }
    umask(mask)
  }

  private static let before = Mutex<(files: rlimit?, mask: mode_t)>((nil, 0o077))

  /// Returns the old limit.
  @discardableResult
  private static func raise(_ resource: __rlimit_resource) -> rlimit? {
    let resource = __rlimit_resource_t(resource.rawValue)
    var limit = rlimit()
    guard unsafe getrlimit(resource, &limit) == 0 else { return nil }
    let before = limit
    limit.rlim_cur = limit.rlim_max
    unsafe setrlimit(resource, &limit)
    return before
  }
}
