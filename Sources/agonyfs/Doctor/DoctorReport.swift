internal import Catalog
internal import Client
internal import System
internal import Traces

/// Describes the findings for users and for programs.
struct DoctorReport {
  /// Most files that are listed for each program, for users.
  private static let mostFiles = 5

  private let findings: [Finding]

  init(_ search: TraceSearch) { findings = search.findings }

  /// For users: a paragraph for each program.
  var lines: [String] {
    var programs: [String] = []
    for finding in findings where !programs.contains(finding.program) { programs.append(finding.program) }
    return programs.flatMap { program in lines(of: findings.filter { $0.program == program }) }
  }

  private func lines(of findings: [Finding]) -> [String] {
    guard let first = findings.first else { return [] }
    let worst = findings.map(\.reveals).min { Self.rank($0) < Self.rank($1) } ?? first.reveals
    var lines = ["\(first.program): \(Self.counted(findings)); \(worst.words)"]
    for finding in findings.prefix(Self.mostFiles) { lines.append("  " + Self.place(finding)) }
    if findings.count > Self.mostFiles {
      lines.append("  and \(findings.count - Self.mostFiles) more; agonyfs doctor --json lists all")
    }
    var said: [String] = []
    for finding in findings {
      let advice =
        switch finding.remedy {
        case .remove: "Can be removed here."
        case .removeIfAsked:
          "May be the only copy: put it back if you need it. Deleted only with --trash, or after a yes for each file."
        case .byHand(let advice): advice
        }
      if !said.contains(advice) { said.append(advice) }
    }
    return lines + said.map { "  " + $0 }
  }

  private static func rank(_ reveals: Finding.Reveals) -> Int {
    switch reveals {
    case .picture: 0
    case .names: 1
    case .place: 2
    case .vault: 3
    }
  }

  private static func place(_ finding: Finding) -> String {
    let file = TerminalText.safe(finding.file)
    guard !finding.lines.isEmpty else { return file }
    let some = finding.lines.prefix(20).map(String.init).joined(separator: ", ")
    return "\(file), \(finding.lines.count == 1 ? "line" : "lines") \(some)\(finding.lines.count > 20 ? ", …" : "")"
  }

  private static func counted(_ findings: [Finding]) -> String {
    var texts: [String] = []
    for kind in Finding.Kind.allCases {
      let count = findings.filter { $0.kind == kind }.reduce(0) { $0 + $1.count }
      if count > 0 { texts.append(count.counted(kind.words.one, kind.words.several)) }
    }
    return texts.joined(separator: ", ")
  }

  /// Counts some of the findings by kind, such as "34 thumbnails, 3 recent files".
  func summary(of indices: [Int]) -> String { Self.counted(indices.map { findings[$0] }) }

  /// For users: advice about the system.
  static func lines(of notes: [SystemNote]) -> [String] {
    notes.isEmpty ? [] : ["The system:"] + notes.map { "  \(TerminalText.safe($0.text))" }
  }
}

extension DoctorReport {
  private typealias Field = JSONValue.Field

  /// A finding as a line of JSON. Bytes of names that are not UTF-8 become U+FFFD.
  static func json(_ finding: Finding, _ isRemoved: Bool) -> String {
    var fields = [
      Field(name: "program", value: .string(finding.program)),
      Field(name: "kind", value: .string(finding.kind.rawValue)),
      Field(name: "file", value: text(finding.file)),
      Field(name: "count", value: .number("\(finding.count)")),
      Field(name: "reveals", value: .string(finding.reveals.rawValue)),
      Field(name: "names", value: .array(finding.names.map(text))),
      Field(name: "lines", value: .array(finding.lines.map { .number("\($0)") })),
      Field(name: "removable", value: .bool(finding.removal != nil)),
      Field(name: "removed", value: .bool(isRemoved)),
    ]
    if case .byHand(let advice) = finding.remedy { fields.append(Field(name: "advice", value: .string(advice))) }
    return line(fields)
  }

  /// A place that could not be searched, as a line of JSON.
  static func json(_ gap: TraceSearch.Gap) -> String {
    line([
      Field(name: "kind", value: .string("unsearched")), Field(name: "file", value: text(gap.path)),
      Field(name: "advice", value: .string(gap.reason)),
    ])
  }

  /// A note about the system, as a line of JSON.
  static func json(_ note: SystemNote) -> String {
    line([
      Field(name: "kind", value: .string("system")), Field(name: "program", value: .string(note.topic.rawValue)),
      Field(name: "advice", value: .string(note.text)),
    ])
  }

  private static func text(_ bytes: [UInt8]) -> JSONValue { .string(String(decoding: bytes, as: UTF8.self)) }

  private static func line(_ fields: [Field]) -> String {
    String(decoding: JSONWriter.bytes(.object(fields)), as: UTF8.self)
  }
}
