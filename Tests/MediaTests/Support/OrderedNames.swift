import Synchronization

/// Names in the order in which they came.
final class OrderedNames: Sendable {
  private let names = Mutex<[String]>([])

  var all: [String] { names.withLock { $0 } }

  func note(_ name: String) { names.withLock { $0.append(name) } }
}
