internal import Catalog
internal import Client
internal import System

/// Paths in JSON that are valid in the user's working directory.
enum JSONPaths {
  /// The fields of a photo, with the paths that users see; `own` replaces its own path.
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

  /// The fields of a path: its text, and its bytes as well if they are not UTF-8.
  static func path(_ name: String, _ bytes: [UInt8]) -> [JSONValue.Field] {
    let text = JSONValue.Field(name: name, value: .string(String(decoding: bytes, as: UTF8.self)))
    if String(validating: bytes, as: UTF8.self) != nil { return [text] }
    return [text, .init(name: name + "Bytes", value: .string(Hexadecimal.text(of: bytes)))]
  }
}
