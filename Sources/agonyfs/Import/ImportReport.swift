internal import Catalog
internal import Client
internal import Glibc
internal import HostFiles
internal import Import
internal import System
internal import SystemPackage

/// A line of JSON for each source file.
final class ImportReport {
  private static let block = 64 << 10

  private let path: FilePath
  private let file: Descriptor
  private var waiting: [UInt8] = []
  private var error: Errno?

  private static let start = Array(#"{"source"#.utf8)

  /// Begins a report in a file. An existing file is replaced only if it is an older report.
  init(_ path: FilePath) throws(CommandFailure) {
    self.path = path
    do throws(Errno) {
      file = try Descriptor.open(path, O_WRONLY | O_CREAT, mode: 0o600)
      var status = stat()
      try systemCall { unsafe fstat(file.number, &status) }
      if status.st_mode & S_IFMT == S_IFREG, status.st_size > 0 {
        guard try Descriptor.open(path, O_RDONLY).readSome(most: Self.start.count) == Self.start else {
          throw Errno.fileExists
        }
        try systemCall { ftruncate(file.number, 0) }
      }
    } catch .fileExists {
      throw CommandFailure(
        .usage, "\(TerminalText.safe(path.bytes)) exists and is not a report of an import; name another file.")
    } catch {
      throw CommandFailure(error, doing: "writing the report \(TerminalText.safe(path.bytes))")
    }
  }

  func add(
    _ source: [UInt8], _ status: FileStatus?, _ outcome: ImportOutcome, isVerified: Bool, isDescribed: Bool?
  ) {
    var fields = JSONPaths.path("source", source)
    if let status, status.kind == .file { fields.append(.init(name: "size", value: .number("\(status.size)"))) }
    func add(_ name: String, _ text: String) { fields.append(.init(name: name, value: .string(text))) }
    switch outcome {
    case .imported(let path):
      add("outcome", "imported")
      fields += JSONPaths.path("path", path)
    case .duplicate(let path, let existing):
      add("outcome", "duplicate")
      fields += JSONPaths.path("path", path) + JSONPaths.path("existing", existing)
      if let status {
        fields += [
          .init(name: "modified", value: .number("\(status.modified.seconds)")),
          .init(name: "modifiedNanoseconds", value: .number("\(status.modified.nanoseconds)")),
        ]
      }
      let attributes = Self.attributes(of: source)
      if !attributes.isEmpty { fields.append(.init(name: "attributes", value: .array(attributes))) }
    case .known(let path):
      add("outcome", "known")
      fields += JSONPaths.path("path", path)
    case .skipped(let reason):
      add("outcome", "skipped")
      add("reason", reason.rawValue)
    case .failed(let failure):
      add("outcome", "failed")
      add("reason", failure.words)
    }
    if outcome.isInSpace { fields.append(.init(name: "verified", value: .bool(isVerified))) }
    if let isDescribed { fields.append(.init(name: "described", value: .bool(isDescribed))) }
    waiting += JSONWriter.bytes(.object(fields)) + [UInt8(ascii: "\n")]
    if waiting.count >= Self.block { flush() }
  }

  /// The extended attributes of a source; the file that the space has already need not have them. Values that are not
  /// text are hexadecimal.
  private static func attributes(of source: [UInt8]) -> [JSONValue] {
    let calls = FileCalls()
    guard let file = try? calls.openFile(source, in: nil) else { return [] }
    func field(_ name: String, _ bytes: [UInt8]) -> JSONValue.Field {
      if let text = String(validating: bytes, as: UTF8.self) { return .init(name: name, value: .string(text)) }
      return .init(
        name: name + "Hexadecimal", value: .string(String(decoding: Hexadecimal.digits(of: bytes), as: UTF8.self)))
    }
    return calls.attributes(of: file).map { .object([field("name", $0.name), field("value", $0.value)]) }
  }

  private func flush() {
    do throws(Errno) { try file.writeAll(waiting) } catch { self.error = self.error ?? error }
    waiting = []
  }

  /// Writes the buffered lines.
  ///
  /// - Throws: `CommandFailure` if a line could not be written.
  func finish() throws(CommandFailure) {
    flush()
    if let error { throw CommandFailure(error, doing: "writing the report \(TerminalText.safe(path.bytes))") }
  }
}
