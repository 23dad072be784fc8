internal import Glibc

/// Times in the time zone of this machine.
package enum LocalTime {
  /// A time in seconds since 1970, in a format of strftime(3); nil for a year that is out of range.
  package static func text(_ seconds: Int64, _ format: String) -> String? {
    var time = time_t(seconds)
    var parts = unsafe tm()
    var text = [CChar](repeating: 0, count: 100)
    guard unsafe localtime_r(&time, &parts) != nil else { return nil }
    let count = unsafe strftime(&text, text.count, format, &parts)
    return String(decoding: text.prefix(count).map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  /// A time in seconds since 1970, in words.
  package static func words(_ seconds: Int64) -> String {
    text(seconds, "%A, %-d %B %Y, %H:%M:%S %Z") ?? "second \(seconds) since 1970"
  }
}
