internal import ArgumentParser
internal import Catalog
internal import Client
internal import Glibc
internal import Mount
internal import System
internal import SystemPackage

struct ShowCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "show", abstract: "Show the facts of a photo, each with its source.",
    discussion: HelpText.show)

  @Argument(help: "A photo or video in a mounted space.", completion: .file())
  var files: [Word]

  @Flag(help: "Print a line of JSON for each photo.")
  var json = false

  func run() throws {
    let output = OutputBuffer()
    var failure: CommandFailure?
    var isFirst = true
    for file in files {
      let path = file.bytes
      let library: PhotoLibrary
      let record: CatalogRecord
      do {
        guard let place = try PhotoLibrary.place(of: path) else { throw PhotoLibrary.notMounted(path) }
        if Directory.exists(at: FilePath(bytes: path)) {
          throw CommandFailure(
            .usage, "This is a directory; list its photos with: agonyfs list \(TerminalText.safe(path))")
        }
        library = PhotoLibrary(allOf: place)
        record = try library.facts(of: place.path)
      } catch let error as CommandFailure where files.count > 1 {
        // One failure does not stop the others.
        try output.flush()
        Output.note("\(TerminalText.safe(path)): \(error.message)")
        failure = failure ?? error
        continue
      }
      // A file may have several names; the output has the given one.
      if json {
        let fields = JSONPaths.shown(record, in: library, as: path)
        try output.append { $0 += JSONWriter.bytes(.object(fields)) + [UInt8(ascii: "\n")] }
        continue
      }
      if !isFirst { try output.line("") }
      isFirst = false
      for line in FactSheet(record, in: library, as: path).lines(isSafe: isatty(STDOUT_FILENO) == 1) {
        try output.append { $0 += line + [UInt8(ascii: "\n")] }
      }
    }
    try output.flush()
    if let failure { throw ExitCode(failure.status.rawValue) }
  }
}
