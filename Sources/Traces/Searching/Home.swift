internal import Glibc
internal import SystemPackage

/// The folders in which programs of one user keep their files.
package struct Home: Sendable {
  /// A folder of the XDG base directory specification, or another root of a search.
  package enum Root: String, Sendable, CaseIterable {
    case home, cache, data, config, state

    /// The variable that may name the folder, and its default below the home directory.
    fileprivate var place: (variable: String, usual: String) {
      switch self {
      case .home: ("HOME", "")
      case .cache: ("XDG_CACHE_HOME", ".cache")
      case .data: ("XDG_DATA_HOME", ".local/share")
      case .config: ("XDG_CONFIG_HOME", ".config")
      case .state: ("XDG_STATE_HOME", ".local/state")
      }
    }
  }

  /// The home directory's absolute path.
  package let path: [UInt8]
  /// Folders for temporary files.
  package let temporary: [[UInt8]]
  private let named: [Root: [UInt8]]

  /// The folders of a user, by the home directory and the environment.
  ///
  /// - Parameters:
  ///   - path: the home directory.
  ///   - environment: returns the value of a variable.
  ///   - temporary: folders for temporary files.
  package init(path: [UInt8], environment: (String) -> [UInt8]?, temporary: [[UInt8]]) {
    self.path = path
    self.temporary = temporary
    var named: [Root: [UInt8]] = [:]
    for root in Root.allCases where root != .home {
      // The specification says that relative paths must be ignored.
      if let value = environment(root.place.variable), value.first == PathBytes.slash { named[root] = value }
    }
    self.named = named
  }

  func open(_ root: Root) throws(Errno) -> Folder {
    if let path = named[root] { return try Folder.begin(at: path) }
    return try Folder.begin(at: path).folder(at: root.place.usual)
  }

  /// The content of a small settings file; nil if it cannot be read.
  func settings(_ name: String) -> [UInt8]? {
    try? open(.config).file(Array(name.utf8)).all(limit: 1 << 20)
  }

  /// The path of a root, for messages.
  package func path(of root: Root) -> [UInt8] {
    let usual = root.place.usual
    return named[root] ?? (usual.isEmpty ? path : path + Array("/\(usual)".utf8))
  }
}
