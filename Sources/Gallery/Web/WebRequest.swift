internal import Catalog
internal import Client

/// The JSON body of a browser's request.
public struct WebRequest: Sendable {
  private static let mostItems = 1_000_000

  private let value: JSONValue

  /// Parses JSON.
  ///
  /// - Throws: `.badRequest` if it is invalid.
  public init(_ bytes: [UInt8]) throws(GalleryError) {
    do throws(JSONReader.Malformed) {
      value = try JSONReader.value(of: bytes, mostValues: Self.mostItems + 1000)
    } catch {
      throw GalleryError(.badRequest, "The request is not valid JSON, from byte \(error.offset) on.")
    }
  }

  private func required<Value>(_ name: String, _ value: Value?) throws(GalleryError) -> Value {
    guard let value else { throw GalleryError(.badRequest, "The request lacks a valid \"\(name)\".") }
    return value
  }

  /// The name of the snapshot.
  public var snapshot: String {
    get throws(GalleryError) { try required("snapshot", value["snapshot"]?.text) }
  }

  /// The name of the snapshot that was shown before; nil if there was none.
  public var before: String? { value["before"]?.text }

  /// The name of a listing of the trash.
  public var listing: String {
    get throws(GalleryError) { try required("listing", value["listing"]?.text) }
  }

  /// The numbers of the photos.
  public var items: [Int] {
    get throws(GalleryError) {
      guard case .array(let elements)? = value["items"], elements.count <= Self.mostItems else {
        throw GalleryError(.badRequest, "The request lacks a valid \"items\".")
      }
      return try elements.map { (element) throws(GalleryError) in try required("items", element.whole) }
    }
  }

  /// The number with this name.
  public func number(_ name: String) throws(GalleryError) -> Int { try required(name, value[name]?.whole) }

  /// The path with this name, in base64url; the root if it is missing.
  public func path(_ name: String) throws(GalleryError) -> SpacePath {
    guard let field = value[name], field != .null else { return .root }
    return try SpacePath(required(name, field.text.flatMap { Base64.bytes(of: $0) }))
  }

  /// The paths with this name, in base64url.
  public func paths(_ name: String) throws(GalleryError) -> [SpacePath] {
    guard case .array(let elements)? = value[name] else {
      throw GalleryError(.badRequest, "The request lacks a valid \"\(name)\".")
    }
    return try elements.map { (element) throws(GalleryError) in
      try SpacePath(required(name, element.text.flatMap { Base64.bytes(of: $0) }))
    }
  }

  /// The text with this name, as the bytes of a file name.
  public func name(_ name: String) throws(GalleryError) -> [UInt8] {
    Array(try required(name, value[name]?.text).utf8)
  }

  /// The changes to the metadata of the photos.
  public var edit: ItemEdit {
    get throws(GalleryError) {
      guard case .object(let fields)? = value["set"] else {
        throw GalleryError(.badRequest, "The request lacks \"set\".")
      }
      var edit = ItemEdit()
      for field in fields where field.value != .null {
        switch field.name {
        case "title": edit.title = try required("title", field.value.text)
        case "caption": edit.caption = try required("caption", field.value.text)
        case "rating": edit.rating = try required("rating", field.value.whole)
        case "favourite":
          guard case .bool(let flag) = field.value else {
            throw GalleryError(.badRequest, "\"favourite\" must be true or false.")
          }
          edit.isFavourite = flag
        case "addTags": edit.addedTags = try tags(field)
        case "removeTags": edit.removedTags = try tags(field)
        default: throw GalleryError(.badRequest, "\"\(field.name)\" cannot be set.")
        }
      }
      return edit
    }
  }

  private func tags(_ field: JSONValue.Field) throws(GalleryError) -> [String] {
    guard case .array(let elements) = field.value else {
      throw GalleryError(.badRequest, "\"\(field.name)\" must be a list of texts.")
    }
    return try elements.map { (element) throws(GalleryError) in try required(field.name, element.text) }
  }
}
