internal import CSession
internal import Glibc
internal import System
internal import SystemPackage

/// A program in a session, and what is given to it.
struct SessionProgram {
  /// Its name and its arguments, as bytes. The name is searched for in PATH.
  var words: [[UInt8]]
  var directory: [UInt8]
  /// What takes its rights away before it starts; false ends it.
  var dropsPrivileges: (() -> Bool)?
  var endsWithParent = false

  /// The program of the command line, else the shell of the person.
  static func ofCommandLine() -> [[UInt8]] {
    let words = LineProgram.words
    if !words.isEmpty { return words }
    return [Array((Environment["SHELL"] ?? "/bin/sh").utf8)]
  }

  /// What every program needs: libraries, devices, and what the system knows.
  private static let system: [FilePath] = ["/usr/lib", "/lib", "/lib64", "/etc", "/dev", "/proc"]

  /// Paths that a program of these words needs: its own, which is searched for in PATH, unless it is only in the
  /// space, and those of the system.
  static func needed(by words: [[UInt8]]) -> [FilePath] {
    guard let name = words.first else { return [] }
    // One with a slash that is no whole path is in the space.
    let own: FilePath? =
      name.contains(UInt8(ascii: "/"))
      ? FilePath(bytes: name) : Environment.program(String(decoding: name, as: UTF8.self)).map { FilePath($0) }
    let needed = [own].compactMap(\.self).filter(isOutside) + system
    return needed + needed.compactMap(\.resolved)
  }

  /// Whether a program can be executed without the space, which may have it, too.
  private static func isOutside(_ program: FilePath) -> Bool {
    program.isAbsolute && (try? unsafe program.call { unsafe access($0, X_OK) }) != nil
  }

  /// Starts it in a child, with the signal mask from before. Returns its process number.
  ///
  /// - Parameter output: becomes its standard output, and it gets nothing else: no input, no errors, and no terminal.
  func start(_ mask: sigset_t, output: Descriptor? = nil) -> pid_t {
    let process = agonyfs_fork()
    guard process == 0 else { return process }
    if endsWithParent { agonyfs_end_with_parent() }
    if let output, let nothing = try? Descriptor.open("/dev/null", O_RDWR) {
      dup2(nothing.number, STDIN_FILENO)
      dup2(output.number, STDOUT_FILENO)
      dup2(nothing.number, STDERR_FILENO)
      // Ctrl-C is for the program, which may go on.
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

  /// Does not return if it succeeds; gives the exit status.
  private func execute() -> Int32 {
    var vector = unsafe words.map { word in
      unsafe strdup(word.map { CChar(bitPattern: $0) } + [0])
    }
    unsafe vector.append(nil)
    let error = unsafe agonyfs_execute(vector)
    let name = String(decoding: words[0], as: UTF8.self)
    if error == ENOENT {
      Output.note("There is no program \(name).")
      return ProgramEnding.notFound
    }
    Output.note("The program \(name) cannot be executed: \(unsafe String(cString: strerror(error))).")
    return ProgramEnding.notExecutable
  }
}
