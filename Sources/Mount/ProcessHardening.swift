internal import CMount
internal import Glibc

/// Protects a process that holds keys.
package enum ProcessHardening {
  /// Disables core dumps and tracing by other processes of the user, raises the limits of open files and locked memory
  /// to the hard limits, and makes new files private to the user. Call it before the first secret is read. Failures are
  /// ignored: each step is one more line of defence, and none is needed to work.
  package static func apply() {
    var none = rlimit(rlim_cur: 0, rlim_max: 0)
    unsafe setrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &none)
    agonyfs_set_not_dumpable()
    raise(RLIMIT_NOFILE)
    raise(__RLIMIT_MEMLOCK)
    umask(0o077)
  }

  private static func raise(_ resource: __rlimit_resource) {
    let resource = __rlimit_resource_t(resource.rawValue)
    var limit = rlimit()
    guard unsafe getrlimit(resource, &limit) == 0 else { return }
    limit.rlim_cur = limit.rlim_max
    unsafe setrlimit(resource, &limit)
  }
}
