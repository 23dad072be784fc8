internal import Glibc
internal import System
internal import SystemPackage

/// The changes that a session makes to the program's environment. This is data only.
struct SessionEnvironment: Equatable {
  /// Names of variables and their new values (`ByteText`); nil unsets one.
  private(set) var changes: [(name: String, value: String?)]

  static func == (one: SessionEnvironment, other: SessionEnvironment) -> Bool {
    one.changes.elementsEqual(other.changes) { $0 == $1 }
  }

  /// Variables that lead to services outside the session, or to directories for temporary files outside it.
  static let removed = [
    "TMPDIR", "TMP", "TEMP", "SESSION_MANAGER", "SSH_AUTH_SOCK", "GPG_AGENT_INFO", "GNOME_KEYRING_CONTROL",
    "DBUS_SESSION_BUS_PID", "DBUS_SESSION_BUS_WINDOWID", "DBUS_STARTER_ADDRESS", "DBUS_STARTER_BUS_TYPE",
    "AT_SPI_BUS_ADDRESS", "JOURNAL_STREAM", "NOTIFY_SOCKET", "DESKTOP_STARTUP_ID", "XDG_ACTIVATION_TOKEN",
  ]

  /// An invalid address. Without any address, programs would look for a bus themselves.
  static let noBus = "disabled:"

  /// - Parameter bus: the address of the session's bus; nil for none.
  init(workingDirectory: FilePath, bus: String?) {
    changes = Self.removed.map { ($0, nil) }
    changes += [("PWD", ByteText.text(of: workingDirectory.bytes)), ("DBUS_SESSION_BUS_ADDRESS", bus ?? Self.noBus)]
  }

  func apply() {
    for (name, value) in changes {
      if let value {
        unsafe setenv(name, ByteText.bytes(of: value).map { CChar(bitPattern: $0) } + [0], 1)
      } else {
        unsafe unsetenv(name)
      }
    }
  }

  /// Makes programs keep their files below a directory.
  mutating func redirect(to directory: FilePath) {
    changes += Self.redirected.map { ($0.variable, ByteText.text(of: directory.appending($0.folder).bytes)) }
  }

  /// Variables of the XDG base directory specification, and the folders that replace their directories.
  static let redirected: [(variable: String, folder: String)] = [
    ("XDG_CACHE_HOME", "cache"), ("XDG_DATA_HOME", "data"), ("XDG_STATE_HOME", "state"),
    ("XDG_CONFIG_HOME", "config"), ("TMPDIR", "tmp"),
  ]
}
