internal import Albums
internal import ArgumentParser
internal import Crypto
internal import System
internal import SystemPackage
internal import Vault

struct CheckCommand: VaultCommand {
  static let configuration = CommandConfiguration(
    commandName: "check", abstract: "Verify a space, and repair it.", discussion: HelpText.check)

  @Argument(help: "The vault.", completion: .directory)
  var vault: FilePath

  @Flag(help: "Also read every byte of every file.")
  var readData = false

  @Flag(help: "Read everything and repair damage, after asking.")
  var repair = false

  @Flag(help: "With --repair: do not ask.")
  var yes = false

  @Flag(help: "Print JSON.")
  var json = false

  @OptionGroup
  var derivations: DerivationOptions

  @OptionGroup(title: "Password")
  var password: PasswordOptions<CurrentPasswords>

  func validate() throws {
    if yes, !repair { throw ValidationError("--yes needs --repair.") }
    if repair, password.files.count > 1 { throw ValidationError("--repair takes one password.") }
  }

  func run() throws {
    do {
      try check()
    } catch let error as VaultError {
      throw CommandFailure(ofCheck: error, vault: path)
    }
  }

  private func check() throws {
    let opened = try openVault(derivations)
    let secrets = try password.sources().map { try $0.password(for: .opening, prompt: "Password for \(path)") }
    if repair { return try RepairDialogue(vault: opened, isAgreedTo: yes, isJSON: json).run(secrets[0]) }
    if secrets.count > 1 {
      let found = try SpaceManager.check(in: opened, passwords: secrets, readData: readData)
      let report = JointCheckResult(found, readData: readData)
      return try show(report, report.lines(names: password.files.map(\.path.string)), isClean: report.isClean)
    }
    let found = try SpaceManager.check(in: opened, password: secrets[0], readData: readData)
    let report = CheckResult(found, readData: readData)
    try show(report, report.lines, isClean: report.isClean)
  }

  private func show(_ report: some Encodable, _ lines: [String], isClean: Bool) throws {
    if json { try Output.json(report) } else { lines.forEach(Output.line) }
    guard !isClean else { return }
    if !json { Output.note("See what a repair would do with: agonyfs check --repair \(path)") }
    throw ExitCode(CommandStatus.damage.rawValue)
  }
}

/// The output of `check`. The names of its fields are those of `--json` and never change.
struct CheckResult: Encodable {
  struct Problem: Encodable {
    /// The path inside the space; null if no file is affected.
    var path: String?
    var problem: String
  }

  var isClean: Bool
  /// Whether every byte was read.
  var readData: Bool
  var files: Int
  var directories: Int
  var others: Int
  var dataBytes: Int64
  /// Bytes of file data that were read.
  var readBytes: Int64
  /// The number of this state. If the user knows a higher number of the space, this state is an older one.
  var stateNumber: UInt64
  /// The time of the last change in that state, in seconds since 1970; null if unknown.
  var lastChange: Int64?
  var problems: [Problem]
  /// Notes that are not damage.
  var notes: [String]

  init(_ report: CheckReport, readData: Bool) {
    isClean = report.isClean
    self.readData = readData
    files = report.files
    directories = report.directories
    others = report.others
    dataBytes = report.dataBytes
    readBytes = report.readBytes
    stateNumber = report.stateNumber
    lastChange = report.lastChange
    notes = report.notes
    problems = report.problems.map { Problem(path: $0.path, problem: $0.text) }
  }

  /// The report for users.
  var lines: [String] {
    let found = problems.map { problem in
      problem.path.map { "damaged: \($0): \(problem.problem)" } ?? "damaged: \(problem.problem)"
    }
    let amount =
      "\(files.counted("file")), \(directories.counted("directory", "directories")), \(others.counted("other")), "
      + "\(ByteSize(bytes: dataBytes)) of data"
    let depth = readData ? "every byte was read" : "file data was not read; --read-data reads it"
    let verdict =
      problems.isEmpty
      ? "No damage was found" : "\(problems.count.counted("problem was", "problems were")) found"
    let change = lastChange.map { "changed last on \(LocalTime.words($0))" } ?? "whose last change cannot be read"
    return notes.map { "note: \($0)" } + found
      + ["This is state number \(stateNumber), \(change).", "\(verdict): \(amount); \(depth)."]
  }
}

/// The output of `check` for several passwords. The names of its fields are those of `--json` and never change.
struct JointCheckResult: Encodable {
  var isClean: Bool
  /// The result for each password, in their order; null if an earlier password opens the same space.
  var spaces: [CheckResult?]
  /// The number of files that more than one of the spaces claims.
  var claimedTwice: Int
  /// Files of the vault that belong to one of the spaces.
  var explainedFiles: Int
  /// Files that belong to none of the spaces, and their bytes.
  var unexplainedFiles: Int
  var unexplainedBytes: Int64

  init(_ report: JointCheckReport, readData: Bool) {
    isClean = report.isClean
    spaces = report.reports.map { $0.map { CheckResult($0, readData: readData) } }
    claimedTwice = report.claimedTwice
    explainedFiles = report.explainedFiles
    unexplainedFiles = report.unexplainedFiles
    unexplainedBytes = report.unexplainedBytes
  }

  /// The report for users; `names` are the sources of the passwords.
  func lines(names: [String]) -> [String] {
    var lines: [String] = []
    for (name, space) in zip(names, spaces) {
      lines += space.map { ["\(name):"] + $0.lines } ?? ["\(name): this password opens a space above, too."]
    }
    if claimedTwice > 0 {
      let files = claimedTwice.counted("file of the vault belongs", "files of the vault belong")
      lines.append("damaged: \(files) to more than one of these spaces")
    }
    let total = explainedFiles + unexplainedFiles
    let rest =
      unexplainedFiles == 0
      ? "These passwords explain all \(total.counted("file")) of the vault."
      : "These passwords leave \(unexplainedFiles.counted("file")) of \(total) unexplained, "
        + "\(ByteSize(bytes: unexplainedBytes))."
    return lines + [rest]
  }
}
