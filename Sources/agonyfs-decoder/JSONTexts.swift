internal import Catalog

/// The texts, numbers and flags of a JSON object by path, such as "people[].name".
struct JSONTexts {
  private static let mostLevels = 32
  private static let mostValues = 20_000

  private(set) var values: [String: [String]] = [:]

  /// Nil if the bytes are not a JSON object, or exceed `mostLevels` or `mostValues`.
  init?(_ bytes: [UInt8]) {
    var reader = JSONReader(
      bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? Array(bytes.dropFirst(3)) : bytes, mostValues: Self.mostValues,
      mostDepth: Self.mostLevels, repairsText: true)
    guard let value = try? reader.onlyValue(), case .object = value else { return nil }
    add(value, "")
  }

  private mutating func add(_ value: JSONValue, _ path: String) {
    switch value {
    case .null: break
    case .bool, .number, .string: values[path, default: []].append(value.words)
    case .array(let elements): for element in elements { add(element, path + "[]") }
    case .object(let fields):
      for field in fields { add(field.value, path.isEmpty ? field.name : path + "." + field.name) }
    }
  }
}
