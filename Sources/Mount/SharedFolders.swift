internal import CMount
internal import Library
internal import Synchronization
internal import Vault

/// State about shared thumbnail folders that the file system does not store.
final class SharedFolders: Sendable {
  /// Most directories whose makers are remembered. A program that copies an album mostly reaches this folder in it
  /// before it has made that many other directories, even if it makes all directories below the album first.
  static let mostMakers = 65_536

  private struct State {
    /// The threads that made the newest directories.
    var makers: [InodeNumber: Int32] = [:]
    var order: [InodeNumber] = []
    /// How often each real folder was removed.
    var removals: [VirtualNode: UInt64] = [:]
    /// Numbers under which the kernel may cache the listing of a real folder.
    var listed: Set<InodeNumber> = []
  }

  private let state = Mutex<State>(State())
  /// The session that serves the volume, as the bits of its pointer; 0 before it begins.
  private let session = Atomic<UInt>(0)

  /// Sets the session that requests come from.
  func begin(_ session: OpaquePointer) { self.session.store(UInt(bitPattern: session), ordering: .relaxed) }

  /// Makes the kernel forget the attributes and the listing of a directory. Unlike names and contents, this waits for
  /// no request.
  func forgetListing(of directory: InodeNumber) {
    guard let session = unsafe OpaquePointer(bitPattern: session.load(ordering: .relaxed)) else { return }
    unsafe fuse_lowlevel_notify_inval_inode(session, directory.rawValue, 0, 0)
  }

  /// Notes that the kernel gets the listing of a real folder under this number.
  func noteListing(of number: InodeNumber) { state.withLock { _ = $0.listed.insert(number) } }

  /// The numbers under which the kernel may cache listings of real folders.
  var listed: Set<InodeNumber> { state.withLock { $0.listed } }

  func note(_ directory: InodeNumber, madeBy thread: Int32) {
    // The kernel gives 0 for a process in another namespace.
    guard thread != 0 else { return }
    state.withLock { state in
      if state.makers.updateValue(thread, forKey: directory) == nil { state.order.append(directory) }
      if state.order.count <= Self.mostMakers { return }
      // Many at once, because removing them moves all later ones.
      for directory in state.order.prefix(Self.mostMakers / 4) { state.makers[directory] = nil }
      state.order.removeFirst(Self.mostMakers / 4)
    }
  }

  func made(_ directory: InodeNumber, by thread: Int32) -> Bool { state.withLock { $0.makers[directory] == thread } }

  func noteRemoval(of node: VirtualNode) { state.withLock { $0.removals[node, default: 0] += 1 } }

  /// The number by which the kernel knows a folder.
  func number(of node: VirtualNode) -> InodeNumber {
    node.number(afterRemovals: state.withLock { $0.removals[node, default: 0] })
  }
}
