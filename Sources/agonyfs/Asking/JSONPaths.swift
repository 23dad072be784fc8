internal import CPlatform
internal import Catalog
internal import Client
internal import System

/// Makes the paths in a line of JSON those that work from where the user stands.
struct JSONPaths {
  private static let start = Array("{\"path\":\"".utf8)
  private static let several = [Array(",\"names\"".utf8), Array(",\"pathBytes\"".utf8)]
  private let library: PhotoLibrary
  /// What is put before a path without reading the line; nil if that is not enough.
  private let inserted: [UInt8]?

  init(_ library: PhotoLibrary) {
    self.library = library
    let isText = String(validating: library.prefix, as: UTF8.self) != nil
    inserted = library.album.isEmpty && isText ? JSONWriter.escaped(library.prefix) : nil
  }

  /// Appends a line with its paths as they are shown.
  func append(_ line: ArraySlice<UInt8>, to bytes: inout [UInt8]) throws {
    if let inserted, line.starts(with: Self.start), !Self.several.contains(where: { Self.contains($0, in: line) }) {
      bytes += Self.start
      bytes += inserted
      bytes += line.dropFirst(Self.start.count)
    } else {
      let record = try CatalogRecord(line)
      bytes += JSONWriter.bytes(.object(Self.shown(record, in: library)))
    }
    bytes.append(UInt8(ascii: "\n"))
  }

  /// Appends the line of a group, with the path of its newest photo as it is shown.
  func append(group line: ArraySlice<UInt8>, to bytes: inout [UInt8]) throws {
    guard let group = try? JSONReader.value(of: Array(line)) else { throw AnswerReader.unknownAnswer }
    let newest = CatalogRecord.path(in: group, named: "newest").map { library.shown($0) }
    let fields = group.fields.flatMap { field -> [JSONValue.Field] in
      switch field.name {
      case "newest": newest.map { Self.path("newest", $0) } ?? []
      case "newestBytes": []
      default: [field]
      }
    }
    bytes += JSONWriter.bytes(.object(fields))
    bytes.append(UInt8(ascii: "\n"))
  }

  /// The fields of a photo, with paths as they are shown; its own may be another one.
  static func shown(_ record: CatalogRecord, in library: PhotoLibrary, as own: [UInt8]? = nil) -> [JSONValue.Field] {
    var fields = path("path", own ?? library.shown(record.path))
    for field in record.facts.fields where field.name != "path" && field.name != "pathBytes" {
      switch field.name {
      case "names", "sidecars":
        let paths = CatalogRecord.paths(in: record.facts, named: field.name).map { library.shown($0) }
        fields.append(
          .init(name: field.name, value: .array(paths.map { .string(String(decoding: $0, as: UTF8.self)) })))
        if paths.contains(where: { String(validating: $0, as: UTF8.self) == nil }) {
          fields.append(
            .init(name: field.name + "Bytes", value: .array(paths.map { .string(Hexadecimal.text(of: $0)) })))
        }
      case "namesBytes", "sidecarsBytes": break
      default: fields.append(field)
      }
    }
    return fields
  }

  /// A path as fields: its text, and its bytes as well if they are no UTF-8.
  static func path(_ name: String, _ bytes: [UInt8]) -> [JSONValue.Field] {
    let text = JSONValue.Field(name: name, value: .string(String(decoding: bytes, as: UTF8.self)))
    if String(validating: bytes, as: UTF8.self) != nil { return [text] }
    return [text, .init(name: name + "Bytes", value: .string(Hexadecimal.text(of: bytes)))]
  }

  private static func contains(_ wanted: [UInt8], in line: ArraySlice<UInt8>) -> Bool {
    unsafe line.withUnsafeBytes { line in
      guard let base = line.baseAddress else { return false }
      return unsafe agonyfs_contains(base, line.count, wanted, wanted.count)
    }
  }
}
