internal import Client
internal import Glibc
internal import System
internal import SystemPackage

/// Asks users who have a desktop but no terminal, with a dialog program of the desktop.
struct DesktopDialog {
  /// The dialog programs, in the order of preference.
  enum Program: String, CaseIterable {
    case zenity, kdialog
    case pinentry = "pinentry-gnome3"
    case pinentryQt = "pinentry-qt"
    case pinentryX11 = "pinentry-x11"
  }

  private let program: Program
  private let path: String

  /// Finds the first installed program; nil without a desktop or without such a program.
  static func find() -> DesktopDialog? {
    guard Environment["WAYLAND_DISPLAY"] != nil || Environment["DISPLAY"] != nil else { return nil }
    for program in Program.allCases {
      if let path = Environment.program(program.rawValue) { return DesktopDialog(program: program, path: path) }
    }
    return nil
  }

  /// Asks for a directory; nil if the user cancels, or if the program lacks such a dialog.
  func directory(_ title: String) throws -> FilePath? {
    switch program {
    case .zenity: try answer(["--file-selection", "--directory", "--title", title])
    case .kdialog: try answer(["--title", title, "--getexistingdirectory", Environment["HOME"] ?? "/"])
    case .pinentry, .pinentryQt, .pinentryX11: nil
    }
  }

  var hasDirectories: Bool { program == .zenity || program == .kdialog }

  /// Asks for a password. The program writes it and a newline to `output`, so this process holds the password only if
  /// it reads the other end.
  func askPassword(_ text: String, to output: Descriptor) throws(Errno) -> ChildProcess {
    let text = Self.plain(text)
    switch program {
    case .zenity:
      // In zenity, an underscore marks a shortcut key.
      let words = ["--entry", "--hide-text", "--title", "agonyfs", "--text", text.replacing("_", with: "__")]
      return try start(words, output: output)
    case .kdialog: return try start(["--title", "agonyfs", "--password", text], output: output)
    case .pinentry, .pinentryQt, .pinentryX11:
      // Assuan: the typed text follows "D ", with %, CR and LF as %25, %0D and %0A.
      let script = """
        printf 'SETTITLE agonyfs\\nSETPROMPT Password\\nSETDESC %s\\nGETPIN\\n' "$1" | "$0" |
          sed -n 's/^D //; t found; b; :found; s/%25/%/g; p; q' | grep .
        """
      let escaped = text.replacing("%", with: "%25")
      return try ChildProcess(
        "/bin/sh", arguments: ["sh", "-c", script, path, escaped], descriptors: [nil, output, .standardError])
    }
  }

  /// Asks a yes-or-no question. Every other answer counts as no, and so does a failed dialog.
  func confirm(_ question: String) -> Bool {
    let text = Self.plain(question)
    let process: ChildProcess?
    switch program {
    case .zenity: process = try? start(["--question", "--no-markup", "--title", "agonyfs", "--text", text])
    case .kdialog: process = try? start(["--title", "agonyfs", "--yesno", text])
    case .pinentry, .pinentryQt, .pinentryX11:
      // pinentry says OK as its greeting and as its answer to each of the three lines.
      let script = #"test "$(printf 'SETTITLE agonyfs\nSETDESC %s\nCONFIRM\n' "$1" | "$0" | grep -c '^OK')" = 4"#
      let words = ["sh", "-c", script, path, text.replacing("%", with: "%25")]
      process = try? ChildProcess("/bin/sh", arguments: words, descriptors: [nil, nil, .standardError])
    }
    return process?.wait() == .exited(0)
  }

  /// Shows an error until the user closes it.
  func fail(_ text: String) {
    let text = Self.plain(text)
    switch program {
    case .zenity: _ = try? start(["--error", "--no-markup", "--title", "agonyfs", "--text", text]).wait()
    case .kdialog: _ = try? start(["--title", "agonyfs", "--error", text]).wait()
    case .pinentry, .pinentryQt, .pinentryX11:
      let script = #"printf 'SETTITLE agonyfs\nSETDESC %s\nCONFIRM --one-button\n' "$1" | "$0" > /dev/null"#
      let words = ["sh", "-c", script, path, text.replacing("%", with: "%25")]
      _ = try? ChildProcess("/bin/sh", arguments: words, descriptors: [nil, nil, .standardError]).wait()
    }
  }

  // A name must not be read as markup.
  private static func plain(_ text: String) -> String {
    TerminalText.safe(text).replacing("<", with: "‹").replacing("&", with: "+")
  }

  private func start(_ words: [String], output: Descriptor? = nil) throws(Errno) -> ChildProcess {
    try ChildProcess(path, arguments: [program.rawValue] + words, descriptors: [nil, output, .standardError])
  }

  private func answer(_ words: [String]) throws -> FilePath? {
    // The writing end closes when this returns, so that reading ends when the program ends.
    func started() throws(Errno) -> (ChildProcess, Descriptor) {
      let (reading, writing) = try Descriptor.pipe()
      return (try start(words, output: writing), reading)
    }
    let (process, reading) = try started()
    let bytes = try reading.readToEnd(limit: Int(PATH_MAX) + 1)
    guard process.wait() == .exited(0) else { return nil }
    return FilePath(bytes: bytes.last == UInt8(ascii: "\n") ? bytes.dropLast() : bytes)
  }
}
