/// A JSON value as it was written: fields keep their order, and numbers their digits.
package enum JSONValue: Equatable, Sendable {
  case null
  case bool(Bool)
  /// The digits as they stand there.
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

  /// The value of a field; nil if this is no object or has no such field.
  package subscript(_ name: String) -> JSONValue? {
    guard case .object(let fields) = self else { return nil }
    return fields.first { $0.name == name }?.value
  }

  /// The value at the end of names separated by points; a field whose own name has points comes first.
  package func value(at path: String) -> JSONValue? {
    if let found = self[path] { return found }
    guard let point = path.firstIndex(of: ".") else { return nil }
    return self[String(path[..<point])]?.value(at: String(path[path.index(after: point)...]))
  }

  /// The text of a string; nil for everything else.
  package var text: String? { if case .string(let text) = self { text } else { nil } }

  /// A whole number; nil for everything else.
  package var whole: Int? { if case .number(let digits) = self { Int(digits) } else { nil } }

  /// A number; nil for everything else.
  package var real: Double? { if case .number(let digits) = self { Double(digits) } else { nil } }

  /// Whether it is `true`.
  package var isTrue: Bool { self == .bool(true) }

  /// What is in an array; nothing for everything else.
  package var elements: [JSONValue] { if case .array(let values) = self { values } else { [] } }

  /// The fields of an object; none for everything else.
  package var fields: [Field] { if case .object(let fields) = self { fields } else { [] } }

  /// The value as a person reads it: texts without quotes, lists with commas, nothing for null.
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
