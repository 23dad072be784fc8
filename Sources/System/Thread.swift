internal import Glibc
package import SystemPackage

/// A thread that runs one function. All signals are blocked in it, because only the main thread handles them.
@safe package final class Thread: Sendable {
  private final class Work: Sendable {
    let body: @Sendable () -> Void
    init(_ body: @escaping @Sendable () -> Void) { self.body = body }
  }

  private let thread: pthread_t

  /// Starts the thread. Throws the system's reason to refuse one.
  package init(_ body: @escaping @Sendable () -> Void) throws(Errno) {
    var all = sigset_t()
    var before = sigset_t()
    unsafe sigfillset(&all)
    unsafe pthread_sigmask(SIG_SETMASK, &all, &before)
    defer { unsafe pthread_sigmask(SIG_SETMASK, &before, nil) }
    let work = unsafe Unmanaged.passRetained(Work(body))
    var thread = pthread_t()
    let error = unsafe pthread_create(
      &thread, nil,
      { argument in
        if let argument = unsafe argument { unsafe Unmanaged<Work>.fromOpaque(argument).takeRetainedValue().body() }
        return nil
      }, work.toOpaque())
    guard error == 0 else {
      unsafe work.release()
      throw Errno(rawValue: error)
    }
    self.thread = thread
  }

  /// Sends the thread a signal, which it must have unblocked. Do not call it after `join()`.
  package func send(signal: CInt) { pthread_kill(thread, signal) }

  /// Waits until the function has returned. Call it once.
  package func join() {
    Waiting.assertAllowed()
    pthread_join(thread, nil)
  }
}
