internal import Client
internal import Glibc

/// The part of a content that a request asks for (RFC 9110, 14.1.2 and 14.2).
public enum ByteRange: Equatable, Sendable {
  /// All of it.
  case whole
  /// The bytes in this range.
  case part(Range<Int64>)
  /// A range outside the content.
  case unsatisfiable

  /// Parses the header `Range`. Several ranges, other units and invalid values request the whole content.
  ///
  /// - Parameters:
  ///   - condition: The header `If-Range`; nil if there is none.
  ///   - tag: The content's entity tag, without quotes.
  public init(_ header: String?, if condition: String? = nil, tag: String, size: Int64) {
    self = .whole
    guard let header, condition == nil || condition == "\"\(tag)\"" else { return }
    let unit = "bytes="
    guard header.lowercased().hasPrefix(unit), case let text = header.dropFirst(unit.count), !text.contains(",") else {
      return
    }
    let parts = text.split(separator: "-", omittingEmptySubsequences: false)
    guard parts.count == 2, let first = Self.number(parts[0]), let last = Self.number(parts[1]) else { return }
    switch (first, last) {
    case (nil, nil): return
    case (nil, let count?): self = count == 0 || size == 0 ? .unsatisfiable : .part(max(0, size - count)..<size)
    case (let start?, let end):
      if let end, end < start { return }
      self = start >= size ? .unsatisfiable : .part(start..<(end.map { min($0, size - 1) } ?? size - 1) + 1)
    }
  }

  /// A number; an inner nil for an empty text, and nil for any other text that is not a number. Too large numbers
  /// become the largest one.
  private static func number(_ text: Substring) -> Int64?? {
    if text.isEmpty { return .some(nil) }
    guard text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
    return .some(Int64(text) ?? .max - 1)
  }
}

/// File names in headers.
public enum HeaderName {
  /// The value of `Content-Disposition` to save a file (RFC 6266): its name in ASCII for old browsers, and in UTF-8.
  public static func attachment(_ name: [UInt8]) -> String {
    let plain = name.map { byte -> UInt8 in
      let isPlain = (0x20..<0x7F).contains(byte) && byte != UInt8(ascii: "\"") && byte != UInt8(ascii: "\\")
      return isPlain && byte != UInt8(ascii: "%") ? byte : UInt8(ascii: "_")
    }
    return "attachment; filename=\"\(String(decoding: plain, as: UTF8.self))\"; filename*=UTF-8''\(escaped(name))"
  }

  /// Percent-encodes all bytes except letters, digits, `-`, `.`, `_` and `~`. Invalid UTF-8 becomes U+FFFD.
  public static func escaped(_ name: [UInt8]) -> String {
    TrashFolder.escaped(Array(String(decoding: name, as: UTF8.self).utf8), isPath: false)
  }
}

/// Times in headers.
public enum HTTPDate {
  /// The time this many seconds from now (RFC 9110, 5.6.7).
  public static func text(after seconds: Int64) -> String { text(of: Int64(time(nil)) + seconds) }

  /// The time this many seconds after 1970.
  static func text(of seconds: Int64) -> String {
    var time = time_t(seconds)
    var parts = unsafe tm()
    guard unsafe gmtime_r(&time, &parts) != nil else { return "" }
    let days = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]
    let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
    func two(_ number: CInt) -> String { number < 10 ? "0\(number)" : "\(number)" }
    return unsafe "\(days[Int(parts.tm_wday)]), \(two(parts.tm_mday)) \(months[Int(parts.tm_mon)]) "
      + "\(parts.tm_year + 1900) \(two(parts.tm_hour)):\(two(parts.tm_min)):\(two(parts.tm_sec)) GMT"
  }
}
