internal import CMount
internal import Library
internal import Synchronization
internal import Vault

/// What is known of shared folders beside what is stored.
final class SharedFolders: Sendable {
  /// Whoever copies an album comes to this folder in it before so many other directories are made, mostly: those that are
  /// below it may all come first.
  static let mostMakers = 65_536

  private struct State {
    /// Threads by the directories that they made, the newest.
    var makers: [InodeNumber: Int32] = [:]
    var order: [InodeNumber] = []
    /// How often a real folder was removed.
    var removals: [VirtualNode: UInt64] = [:]
    /// Numbers under which the kernel may keep the listing of a real one.
    var listed: Set<InodeNumber> = []
  }

  private let state = Mutex<State>(State())
  /// The session that serves the volume, as the bits of its pointer; 0 before there is one.
  private let session = Atomic<UInt>(0)

  /// Requests come from this session from now on.
  func begin(_ session: OpaquePointer) { self.session.store(UInt(bitPattern: session), ordering: .relaxed) }

  /// The kernel forgets the attributes and the listing of a directory. That waits for no request, in contrast to names and
  /// contents.
  func forgetListing(of directory: InodeNumber) {
    guard let session = unsafe OpaquePointer(bitPattern: session.load(ordering: .relaxed)) else { return }
    unsafe fuse_lowlevel_notify_inval_inode(session, directory.rawValue, 0, 0)
  }

  /// Notes that the kernel gets the listing of a real folder under this number.
  func noteListing(of number: InodeNumber) { state.withLock { _ = $0.listed.insert(number) } }

  /// The numbers under which the kernel may keep listings of real folders.
  var listed: Set<InodeNumber> { state.withLock { $0.listed } }

  func note(_ directory: InodeNumber, madeBy thread: Int32) {
    // A process in another namespace has no number here.
    guard thread != 0 else { return }
    state.withLock { state in
      if state.makers.updateValue(thread, forKey: directory) == nil { state.order.append(directory) }
      if state.order.count <= Self.mostMakers { return }
      // Many at once, as what is behind them moves.
      for directory in state.order.prefix(Self.mostMakers / 4) { state.makers[directory] = nil }
      state.order.removeFirst(Self.mostMakers / 4)
    }
  }

  func made(_ directory: InodeNumber, by thread: Int32) -> Bool { state.withLock { $0.makers[directory] == thread } }

  func noteRemoval(of node: VirtualNode) { state.withLock { $0.removals[node, default: 0] += 1 } }

  /// The number that the kernel knows a folder by.
  func number(of node: VirtualNode) -> InodeNumber {
    node.number(afterRemovals: state.withLock { $0.removals[node, default: 0] })
  }
}
