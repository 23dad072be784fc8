internal import Glibc

enum LocalTime {
  /// A time in seconds since 1970 in words, where this machine is.
  static func words(_ seconds: Int64) -> String {
    var time = time_t(seconds)
    var parts = unsafe tm()
    var text = [CChar](repeating: 0, count: 100)
    // A year beyond all bounds is no date.
    guard unsafe localtime_r(&time, &parts) != nil else { return "second \(seconds) since 1970" }
    let count = unsafe strftime(&text, text.count, "%A, %-d %B %Y, %H:%M:%S %Z", &parts)
    return String(decoding: text.prefix(count).map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }
}
