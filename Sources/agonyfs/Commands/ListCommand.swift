internal import ArgumentParser
internal import Catalog
internal import Client
internal import Mount
internal import Storage
internal import Vault

struct ListCommand: ParsableCommand {
  /// More than any space holds.
  private static let mostPhotos = 1_000_000_000_000

  static let configuration = CommandConfiguration(
    commandName: "list", abstract: "Find photos by content, place and time.", discussion: HelpText.list)

  @Argument(
    help: ArgumentHelp("A mounted space, a directory in it, or a vault.", valueName: "mount-or-vault"),
    completion: .directory)
  var place: Word

  @Argument(help: "See agonyfs help queries. (default: everything)")
  var query: [String] = []

  @Flag(name: .shortAndLong, help: "Show all facts of each photo.")
  var long = false

  @Flag(help: "Print a line of JSON for each photo, or each group.")
  var json = false

  @Flag(name: [.customShort("0"), .customLong("null")], help: "End each path with a zero byte, for xargs -0.")
  var null = false

  @Option(help: ArgumentHelp("Print these fields, such as '{taken} {path}'.", valueName: "text"))
  var format: String?

  @Flag(help: "Print the number of photos and videos.")
  var count = false

  @Option(
    help: ArgumentHelp(
      "Print the number for each \(GroupField.allCases.map(\.rawValue).joined(separator: ", ")).",
      valueName: "field"))
  var group: String?

  @Option(
    help: ArgumentHelp(
      "Sort by \(SortKey.words): newest, A, largest, best, longest first. (default: time)",
      valueName: "field"))
  var sort: String?

  @Flag(name: .shortAndLong, help: "Reverse the order.")
  var reverse = false

  @Option(
    help: ArgumentHelp(
      "Print at most this many, or all. (default: all, but \(PhotoListing.screenful) in a table at a terminal)",
      valueName: "number"))
  var limit: String?

  @Option(
    help: ArgumentHelp("Print the next page, after the cursor of the last one.", valueName: "cursor"))
  var after: String?

  @Flag(help: "Print one photo of each stack (RAW and JPEG, live photo and video, burst).")
  var stacks = false

  @OptionGroup
  var vault: VaultOptions

  func validate() throws {
    let forms = [long, json && !count && group == nil, format != nil, count, group != nil].count(where: \.self)
    guard forms <= 1 else {
      throw ValidationError("Choose one of --long, --json, --format, --count and --group.")
    }
    if null, long || json || count || group != nil { throw ValidationError("-0 is for paths and --format.") }
    if count, sort != nil || reverse || limit != nil || after != nil {
      throw ValidationError("--count does not work with --sort, --reverse, --limit and --after.")
    }
    if group != nil, sort != nil || reverse || after != nil {
      throw ValidationError(
        "--group does not work with --sort, --reverse and --after; the largest groups come first, or the newest dates.")
    }
  }

  func run() throws {
    // Mistakes in the words are reported before the password is asked for.
    let template = try format.map { text throws(CommandFailure) in try AnswerTemplate(text) }
    var request = try options()
    let query = query.joined(separator: " ")
    try PhotoLibrary.check(query)
    try refuseSecondPlace()
    let library = try library()
    request = library.request(query, request)
    let listing = PhotoListing(
      library, as: json ? .json : long ? .long : template.map { .template($0) } ?? .usual, endsWithZero: null)
    if count {
      try listing.count(request)
    } else if group != nil {
      try listing.groups(request)
    } else {
      try listing.photos(request)
    }
  }

  /// The request without the query.
  private func options() throws(CommandFailure) -> CatalogRequest {
    var request = CatalogRequest()
    request.stacks = stacks
    if let group {
      guard let field = GroupField(rawValue: group.lowercased()) else {
        let known = GroupField.allCases.map(\.rawValue).joined(separator: ", ")
        throw CommandFailure(.usage, "--group does not know \"\(group)\"; it knows \(known).")
      }
      request.group = field.rawValue
      request.format = .groups
    }
    var order = SortOrder.standard
    if sort != nil || reverse {
      let word = (sort ?? "time").lowercased()
      let isTurned = word.hasPrefix("-") != reverse
      guard let key = SortKey(word: word.dropFirst(word.hasPrefix("-") ? 1 : 0)) else {
        throw CommandFailure(.usage, "--sort does not know \"\(sort ?? "")\"; it knows \(SortKey.words).")
      }
      request.sort = (isTurned ? "-" : "") + key.word
      order = SortOrder(key, isTurned: isTurned)
    }
    if let limit { request.limit = try Self.number(limit, of: "--limit") }
    if let after {
      guard let cursor = Cursor(after) else {
        throw CommandFailure(.usage, "--after takes the cursor that the last page printed, which this is not.")
      }
      guard cursor.order == order else {
        throw CommandFailure(.usage, "The page of this cursor had another order; give the same --sort and --reverse.")
      }
      request.after = cursor.text
    }
    return request
  }

  /// Parses a number of photos; less than 0 means all.
  static func number(_ text: String, of option: String) throws(CommandFailure) -> Int {
    if text == "all" { return -1 }
    guard let number = Int(text), number > 0 else {
      throw CommandFailure(.usage, "\(option) takes a number from 1, or all, not \"\(text)\".")
    }
    return min(number, mostPhotos)
  }

  /// Refuses a second path: as words of the query it would match nothing.
  private func refuseSecondPlace() throws(CommandFailure) {
    for word in query where word.contains("/") {
      guard (try? PhotoLibrary.place(of: Array(word.utf8))) != nil else { continue }
      throw CommandFailure(
        .usage,
        "\(TerminalText.safe(word)) is a second directory, and list searches one. Run it for each, or name the "
          + "directory that contains both and ask for albums, such as album:2019/Paris.")
    }
  }

  private func library() throws -> PhotoLibrary {
    if let mounted = try PhotoLibrary.mounted(at: place.bytes) { return mounted }
    return try PhotoLibrary.vault(at: place.bytes, vault)
  }
}

/// The options for opening a vault without a mount.
struct VaultOptions: ParsableArguments {
  @OptionGroup
  var derivations: DerivationOptions

  @OptionGroup(title: "Password, for a vault that is not mounted")
  var password: PasswordOptions<CurrentPassword>
}
