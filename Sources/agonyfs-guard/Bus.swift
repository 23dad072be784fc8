internal import CSystemd
internal import Glibc
internal import System
internal import SystemPackage

/// A connection to a message bus. Nothing blocks: calls are sent, and their answers arrive with the other messages.
@safe final class Bus {
  enum Kind { case system, session }

  struct Call {
    var destination: String
    var path: String
    var interface: String
    var member: String
    /// The arguments, which are all strings.
    var arguments: [String] = []
  }

  private let bus: OpaquePointer

  /// Connects. `DBUS_SYSTEM_BUS_ADDRESS` and `DBUS_SESSION_BUS_ADDRESS` replace the usual addresses.
  init(_ kind: Kind) throws(Errno) {
    var made: OpaquePointer?
    try Self.check(unsafe kind == .system ? sd_bus_open_system(&made) : sd_bus_open_user(&made))
    guard let made = unsafe made else { throw .socketNotConnected }
    unsafe bus = made
  }

  deinit { unsafe sd_bus_close_unref(bus) }

  /// Sends a call.
  ///
  /// - Returns: The number that its answer has as `BusMessage.answeredCall`.
  func send(_ call: Call) throws(Errno) -> UInt64 {
    var made: OpaquePointer?
    try Self.check(
      unsafe sd_bus_message_new_method_call(bus, &made, call.destination, call.path, call.interface, call.member))
    guard let message = unsafe made else { throw .noMemory }
    defer { unsafe sd_bus_message_unref(message) }
    for argument in call.arguments {
      try Self.check(
        unsafe argument.withCString { unsafe sd_bus_message_append_basic(message, BusMessage.string, $0) })
    }
    var number: UInt64 = 0
    try Self.check(unsafe sd_bus_send(bus, message, &number))
    return number
  }

  /// Subscribes to the signals that match a rule.
  func subscribe(_ rule: String) throws(Errno) -> UInt64 {
    try send(
      Call(
        destination: "org.freedesktop.DBus", path: "/org/freedesktop/DBus", interface: "org.freedesktop.DBus",
        member: "AddMatch", arguments: [rule]))
  }

  /// The next message that has arrived; nil if there is none. Throws when the connection is closed.
  func next() throws(Errno) -> BusMessage? {
    while true {
      var message: OpaquePointer?
      let progress = try Self.check(unsafe sd_bus_process(bus, &message))
      if let message = unsafe message { return unsafe BusMessage(taking: message) }
      if progress == 0 { return nil }
    }
  }

  /// The events for poll(2).
  var interest: pollfd {
    unsafe pollfd(fd: sd_bus_get_fd(bus), events: Int16(truncatingIfNeeded: sd_bus_get_events(bus)), revents: 0)
  }

  /// The time at which `next()` has to be called in any case, in nanoseconds of the monotonic clock.
  var deadline: UInt64? {
    var microseconds: UInt64 = 0
    guard unsafe sd_bus_get_timeout(bus, &microseconds) >= 0, microseconds != .max else { return nil }
    return microseconds * 1000
  }

  @discardableResult
  private static func check(_ result: CInt) throws(Errno) -> CInt {
    guard result >= 0 else { throw Errno(rawValue: -result) }
    return result
  }
}
