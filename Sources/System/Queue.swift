/// A first-in, first-out queue. All of its code may be inlined, because it is specialised for its elements.
@usableFromInline package struct Queue<Element> {
  @usableFromInline var elements: [Element] = []
  @usableFromInline var head = 0

  /// An empty queue.
  @inlinable package init() {}

  /// The number of elements.
  @inlinable package var count: Int { elements.count - head }
  /// Whether the queue is empty.
  @inlinable package var isEmpty: Bool { count == 0 }

  /// Adds an element behind all others.
  @inlinable package mutating func append(_ element: Element) { elements.append(element) }

  /// Puts elements in front of all others, in the given order.
  @inlinable package mutating func prepend(_ first: [Element]) {
    if first.isEmpty { return }
    elements.replaceSubrange(..<head, with: first)
    head = 0
  }

  /// Takes the first element; nil if there is none.
  @inlinable package mutating func popFirst() -> Element? {
    guard head < elements.count else { return nil }
    defer {
      head += 1
      if head > 32, head * 2 > elements.count {
        elements.removeFirst(head)
        head = 0
      }
    }
    return elements[head]
  }
}

extension Queue: Sendable where Element: Sendable {}
