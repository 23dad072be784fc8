/// A JSON value as it was written: fields keep their order, and numbers their digits.
package enum JSONValue: Equatable, Sendable {
  case null
  case bool(Bool)
  /// The digits as written.
  case number(String)
  case string(String)
  case array([JSONValue])
  case object([Field])

  /// A field of an object.
  package struct Field: Equatable, Sendable {
    package var name: String
    package var value: JSONValue

    /// A field with a name.
    package init(name: String, value: JSONValue) {
      self.name = name
      self.value = value
    }
  }

  /// The value of a field; nil if this is not an object or lacks the field.
  package subscript(_ name: String) -> JSONValue? {
    guard case .object(let fields) = self else { return nil }
    return fields.first { $0.name == name }?.value
  }

  /// The value at a path of names separated by dots; a field whose own name contains dots is tried first.
  package func value(at path: String) -> JSONValue? {
    if let found = self[path] { return found }
    guard let point = path.firstIndex(of: ".") else { return nil }
    return self[String(path[..<point])]?.value(at: String(path[path.index(after: point)...]))
  }

  /// The text of a string; nil for other values.
  package var text: String? { if case .string(let text) = self { text } else { nil } }

  /// A whole number; nil for other values.
  package var whole: Int? { if case .number(let digits) = self { Int(digits) } else { nil } }

  /// A number; nil for other values.
  package var real: Double? { if case .number(let digits) = self { Double(digits) } else { nil } }

  /// Whether it is `true`.
  package var isTrue: Bool { self == .bool(true) }

  /// The elements of an array; empty for other values.
  package var elements: [JSONValue] { if case .array(let values) = self { values } else { [] } }

  /// The fields of an object; empty for other values.
  package var fields: [Field] { if case .object(let fields) = self { fields } else { [] } }

  /// The value as text for people: strings without quotes, lists with commas, empty for null.
  package var words: String {
    switch self {
    case .null: ""
    case .bool(let isTrue): isTrue ? "true" : "false"
    case .number(let digits): digits
    case .string(let text): text
    case .array(let values): values.map(\.words).joined(separator: ", ")
    case .object(let fields): fields.map(\.value.words).filter { !$0.isEmpty }.joined(separator: ", ")
    }
  }
}
