internal import CSession
internal import Glibc
internal import System
internal import SystemPackage

/// A program in a session, and how to start it.
struct SessionProgram {
  /// The name and the arguments, as bytes. PATH is searched for the name.
  var words: [[UInt8]]
  var directory: [UInt8]
  /// Drops privileges before the program starts; false ends the child.
  var dropsPrivileges: (() -> Bool)?
  var endsWithParent = false

  /// The program of the command line, or else the user's shell.
  static func ofCommandLine() -> [[UInt8]] {
    let words = LineProgram.words
    if !words.isEmpty { return words }
    return [Array((Environment["SHELL"] ?? "/bin/sh").utf8)]
  }

  /// Directories that every program needs: libraries, devices and the system's tables.
  private static let system: [FilePath] = ["/usr/lib", "/lib", "/lib64", "/etc", "/dev", "/proc"]

  /// Paths that a program needs: its own file, unless only the space has it, and those of the system.
  static func needed(by words: [[UInt8]]) -> [FilePath] {
    guard let name = words.first else { return [] }
    // A relative path with a slash leads into the space.
    let own: FilePath? =
      name.contains(UInt8(ascii: "/"))
      ? FilePath(bytes: name) : Environment.program(String(decoding: name, as: UTF8.self)).map { FilePath($0) }
    let needed = [own].compactMap(\.self).filter(isOutside) + system
    return needed + needed.compactMap(\.resolved)
  }

  /// Whether a program's file is outside the space, so that it can be executed even if the space hides its name.
  private static func isOutside(_ program: FilePath) -> Bool {
    program.isAbsolute && (try? unsafe program.call { unsafe access($0, X_OK) }) != nil
  }

  /// Starts the program in a child with the given signal mask. Returns the child's process number.
  ///
  /// - Parameter output: becomes the program's standard output; it then gets no input, no standard error and no
  ///   terminal.
  func start(_ mask: sigset_t, output: Descriptor? = nil) -> pid_t {
    let process = agonyfs_fork()
    guard process == 0 else { return process }
    if endsWithParent { agonyfs_end_with_parent() }
    if let output, let nothing = try? Descriptor.open("/dev/null", O_RDWR) {
      dup2(nothing.number, STDIN_FILENO)
      dup2(output.number, STDOUT_FILENO)
      dup2(nothing.number, STDERR_FILENO)
      // Ctrl-C is meant for the user's program; this one keeps running.
      setsid()
    }
    guard unsafe chdir(directory.map { CChar(bitPattern: $0) } + [0]) == 0, dropsPrivileges?() ?? true else {
      Output.note("The program could not be started: \(Errno.current).")
      _exit(ProgramEnding.ownFailure)
    }
    ProcessHardening.restoreForProgram()
    var mask = mask
    unsafe agonyfs_waiting_signals_restore(&mask)
    _exit(execute())
  }

  /// Executes the program. Returns only on failure, with the exit status.
  private func execute() -> Int32 {
    var vector = unsafe words.map { word in
      unsafe strdup(word.map { CChar(bitPattern: $0) } + [0])
    }
    unsafe vector.append(nil)
    let error = unsafe agonyfs_execute(vector)
    let name = String(decoding: words[0], as: UTF8.self)
    if error == ENOENT {
      Output.note("The program \(name) was not found.")
      return ProgramEnding.notFound
    }
    Output.note("The program \(name) cannot be executed: \(unsafe String(cString: strerror(error))).")
    return ProgramEnding.notExecutable
  }
}
