internal import System
internal import SystemPackage

/// Screen lockers that notify the session's bus, and perhaps not logind.
enum ScreenLockers {
  private static let interfaces = [
    "org.freedesktop.ScreenSaver", "org.gnome.ScreenSaver", "org.cinnamon.ScreenSaver", "org.mate.ScreenSaver",
    "org.xfce.ScreenSaver",
  ]
  private static let member = "ActiveChanged"

  /// Subscribes to their signals.
  static func begin(_ bus: Bus) throws(Errno) {
    for interface in interfaces {
      _ = try bus.subscribe("type='signal',interface='\(interface)',member='\(member)'")
    }
  }

  /// Whether a message says that the screen is locked now.
  static func isLocked(_ message: BusMessage) -> Bool {
    interfaces.contains { message.isSignal($0, member) } && message.readFlag() == true
  }
}
