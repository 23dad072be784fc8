internal import ArgumentParser
internal import Client

/// A number of bytes, as users write it: `4194304`, `4M`, `4MiB`, `100G`.
struct ByteSize: ExpressibleByArgument, Equatable, CustomStringConvertible {
  var bytes: Int64

  init(bytes: Int64) { self.bytes = bytes }

  /// Parses a size; units are powers of 1024. Nil if the text is not a size or the size is too large.
  init?(argument: String) {
    let digits = argument.prefix { $0.isASCII && $0.isNumber }
    guard let number = Int64(digits) else { return nil }
    var unit = argument.dropFirst(digits.count).uppercased()
    if unit.hasSuffix("IB") { unit.removeLast(2) } else if unit.hasSuffix("B") { unit.removeLast() }
    guard let power = ["", "K", "M", "G", "T"].firstIndex(of: unit) else { return nil }
    let (bytes, overflow) = number.multipliedReportingOverflow(by: 1 << (10 * Int64(power)))
    guard !overflow else { return nil }
    self.bytes = bytes
  }

  /// Rounded, in the largest unit that leaves at least 1: `1.4 GiB`.
  var description: String { ShortWords.longSize(bytes) }

  /// The default, as the help shows it.
  var defaultValueDescription: String { description }
}
