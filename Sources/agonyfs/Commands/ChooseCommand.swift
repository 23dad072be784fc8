internal import ArgumentParser
internal import Client
internal import Mount
internal import System

/// `agonyfs choose MOUNT`: becomes agonyfs-web, which shows a page to choose from.
struct ChooseCommand: ParsableCommand {
  /// After this many seconds without use, the program ends and nothing is chosen.
  private static let idle = 3600

  static let configuration = CommandConfiguration(
    commandName: "choose", abstract: "Choose photos in a browser, and print their paths.",
    discussion: HelpText.choose)

  @Argument(help: ArgumentHelp("Where a space is mounted.", valueName: "mount"), completion: .directory)
  var place: Word

  @Option(help: ArgumentHelp("Choose at most this number. (default: all)", valueName: "number"))
  var max: String?

  @Option(help: ArgumentHelp("Choose only photo or only video.", valueName: "type"))
  var type: String?

  @Option(help: ArgumentHelp("Choose only videos at least this long: 90s, 10m.", valueName: "time"))
  var minDuration: String?

  @Option(help: ArgumentHelp("Choose only videos at most this long.", valueName: "time"))
  var maxDuration: String?

  @Flag(name: [.customShort("0"), .customLong("null")], help: "End each path with a zero byte, for xargs -0.")
  var null = false

  func run() throws {
    var words = ["agonyfs-web", "--choose", "--http", "--port", "0", "--idle", "\(Self.idle)"]
    words += try limits()
    if null { words.append("--null") }
    guard let library = try PhotoLibrary.mounted(at: place.bytes), let found = try PhotoLibrary.place(of: place.bytes)
    else { throw PhotoLibrary.notMounted(place.bytes) }
    guard found.path.isEmpty else {
      throw CommandFailure(
        .mountPointUnusable, "\(TerminalText.safe(place.bytes)) is inside a space; name the directory of its mount.")
    }
    guard Environment["WAYLAND_DISPLAY"] != nil || Environment["DISPLAY"] != nil else {
      throw CommandFailure(
        .usage, "The browser needs a graphical session; without one, find photos with: agonyfs list MOUNT QUERY")
    }
    words += ["--mount", ByteText.text(of: found.mountPoint), "--prefix", ByteText.text(of: library.prefix)]
    try ServeCommand.become(words)
  }

  /// The options that limit what the user may choose.
  private func limits() throws -> [String] {
    var words: [String] = []
    if let max, case let number = try ListCommand.number(max, of: "--max"), number > 0 {
      words += ["--most", "\(number)"]
    }
    guard type == nil || type == "photo" || type == "video" else {
      throw CommandFailure(.usage, "--type takes photo or video, not \"\(type ?? "")\".")
    }
    let shortest = try minDuration.map { try MountOptions.duration($0).components.seconds }
    let longest = try maxDuration.map { try MountOptions.duration($0).components.seconds }
    let hasDuration = shortest != nil || longest != nil
    guard !hasDuration || type != "photo" else {
      throw CommandFailure(.usage, "Only videos have a duration; leave out --type photo, or the durations.")
    }
    guard shortest ?? 0 <= longest ?? .max else {
      throw CommandFailure(.usage, "--min-duration is longer than --max-duration; give a shorter one.")
    }
    if let type = hasDuration ? "video" : type { words += ["--type", type] }
    if let shortest { words += ["--min-duration", "\(shortest)"] }
    if let longest { words += ["--max-duration", "\(longest)"] }
    return words
  }
}
