internal import CSystemd
internal import Glibc
internal import System

/// A message from a bus. Values are read one after the other; reading returns nil if the next value has another type.
@safe final class BusMessage {
  /// The value of a property, of the types that are needed here.
  enum Value: Equatable {
    case flag(Bool)
    case number(UInt64)
    case text(String)
  }

  /// D-Bus represents types by characters.
  static let string = letter("s")
  private let message: OpaquePointer

  init(taking message: OpaquePointer) { unsafe self.message = message }

  deinit { unsafe sd_bus_message_unref(message) }

  /// The unique name of the sending connection, which the bus guarantees.
  var sender: String { unsafe Self.text(sd_bus_message_get_sender(message)) }
  /// The object that sent the signal.
  var path: String { unsafe Self.text(sd_bus_message_get_path(message)) }

  /// The number of the answered call; nil for a signal.
  var answeredCall: UInt64? {
    var number: UInt64 = 0
    return unsafe sd_bus_message_get_reply_cookie(message, &number) >= 0 ? number : nil
  }

  func isSignal(_ interface: String, _ member: String) -> Bool {
    unsafe sd_bus_message_is_signal(message, interface, member) > 0
  }

  /// Why the call failed; nil if it did not.
  var failure: String? {
    guard unsafe sd_bus_message_is_method_error(message, nil) > 0 else { return nil }
    guard let error = unsafe sd_bus_message_get_error(message) else { return "unknown reason" }
    let words = unsafe Self.text(error.pointee.message)
    return unsafe words.isEmpty ? Self.text(error.pointee.name) : words
  }

  /// Reads a string, or an object path if `type` is that.
  func readText(_ type: CChar = string) -> String? {
    var text: UnsafePointer<CChar>?
    guard unsafe sd_bus_message_read_basic(message, type, &text) > 0 else { return nil }
    return unsafe Self.text(text)
  }

  func readPath() -> String? { readText(Self.letter("o")) }

  func readFlag() -> Bool? {
    var value: CInt = 0
    return unsafe sd_bus_message_read_basic(message, Self.letter("b"), &value) > 0 ? value != 0 : nil
  }

  func readUser() -> UInt32? {
    var value: UInt32 = 0
    return unsafe sd_bus_message_read_basic(message, Self.letter("u"), &value) > 0 ? value : nil
  }

  private func readNumber() -> UInt64? {
    var value: UInt64 = 0
    return unsafe sd_bus_message_read_basic(message, Self.letter("t"), &value) > 0 ? value : nil
  }

  /// Reads a descriptor, and returns a copy of it.
  func readDescriptor() -> Descriptor? {
    var value: CInt = -1
    guard unsafe sd_bus_message_read_basic(message, Self.letter("h"), &value) > 0 else { return nil }
    let copy = fcntl(value, F_DUPFD_CLOEXEC, 3)
    return copy < 0 ? nil : Descriptor(copy)
  }

  /// Reads an array, and calls `element` for each of its elements, which are structures or other containers.
  func readArray(_ contents: String, of type: Character, _ inner: String, _ element: () -> Void) {
    guard enter("a", contents) else { return }
    while enter(type, inner) {
      element()
      leave()
    }
    leave()
  }

  func readTexts() -> [String] {
    guard enter("a", "s") else { return [] }
    defer { leave() }
    var texts: [String] = []
    while let text = readText() { texts.append(text) }
    return texts
  }

  /// Reads the properties in an answer to `GetAll`, except those of other types. Of a structure it reads the leading
  /// number, which is the user of a session.
  func readProperties() -> [String: Value] {
    var properties: [String: Value] = [:]
    readArray("{sv}", of: "e", "sv") {
      guard let name = readText(), let contents = variantContents, enter("v", contents) else { return }
      properties[name] = readValue(contents)
      // A container can be left only after everything in it was read.
      while unsafe sd_bus_message_at_end(message, 0) == 0, unsafe sd_bus_message_skip(message, nil) > 0 {}
      leave()
    }
    return properties
  }

  private func readValue(_ contents: String) -> Value? {
    switch contents {
    case "b": return readFlag().map(Value.flag)
    case "t": return readNumber().map(Value.number)
    case "u": return readUser().map { .number(UInt64($0)) }
    case "s": return readText().map(Value.text)
    case "(uo)":
      guard enter("r", "uo") else { return nil }
      defer { leave() }
      let number = readUser()
      _ = readPath()
      return number.map { .number(UInt64($0)) }
    default: return nil
    }
  }

  private var variantContents: String? {
    var type: CChar = 0
    var contents: UnsafePointer<CChar>?
    guard unsafe sd_bus_message_peek_type(message, &type, &contents) > 0, type == Self.letter("v") else { return nil }
    return unsafe Self.text(contents)
  }

  private func enter(_ type: Character, _ contents: String) -> Bool {
    unsafe sd_bus_message_enter_container(message, Self.letter(type), contents) > 0
  }

  private func leave() { _ = unsafe sd_bus_message_exit_container(message) }

  private static func letter(_ type: Character) -> CChar { CChar(bitPattern: type.asciiValue ?? 0) }

  private static func text(_ text: UnsafePointer<CChar>?) -> String {
    unsafe text.map { unsafe String(cString: $0) } ?? ""
  }
}
