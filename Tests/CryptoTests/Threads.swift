import Glibc

private final class Work: Sendable {
  let body: @Sendable (Int) -> Void
  let index: Int
  init(_ index: Int, _ body: @escaping @Sendable (Int) -> Void) {
    self.index = index
    self.body = body
  }
}

/// Runs `body` in `count` threads at once and waits for all of them.
func inThreads(_ count: Int, _ body: @escaping @Sendable (Int) -> Void) {
  var threads: [pthread_t] = []
  for index in 0..<count {
    var thread = pthread_t()
    let work = unsafe Unmanaged.passRetained(Work(index, body)).toOpaque()
    let status = unsafe pthread_create(
      &thread, nil,
      { argument in
        guard let argument = unsafe argument else { return nil }
        let work = unsafe Unmanaged<Work>.fromOpaque(argument).takeRetainedValue()
        work.body(work.index)
        return nil
      }, work)
    precondition(status == 0, "no thread can be made")
    threads.append(thread)
  }
  for thread in threads { pthread_join(thread, nil) }
}
