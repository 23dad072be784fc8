/// Core dumps: memory of crashed programs that is kept in files.
struct CoreDumpCheck: SystemCheck {
  func notes(_ view: SystemView, _ subject: SystemSubject) -> [SystemNote] {
    guard let pattern = view.line("proc/sys/kernel/core_pattern"), !pattern.isEmpty else { return [] }
    if pattern.hasPrefix("|") {
      if pattern.contains("systemd-coredump") {
        guard storage(view) != "none" else { return [] }
        return [
          note(
            "systemd-coredump keeps the memory of crashed programs in /var/lib/systemd/coredump: set Storage=none and "
              + "ProcessSizeMax=0 in /etc/systemd/coredump.conf.")
        ]
      }
      let program = pattern.dropFirst().split(separator: " ").first.map(String.init) ?? ""
      // These programs only discard the dump.
      if program.hasSuffix("/true") || program.hasSuffix("/false") { return [] }
      return [
        note(
          "The kernel gives the memory of crashed programs to \(program): switch that off, for example with sysctl -w "
            + "kernel.core_pattern=.")
      ]
    }
    guard limit(view, of: subject.shell) != "0" else { return [] }
    return [
      note(
        "The kernel writes the memory of crashed programs, with the photos that they show, to files (\(pattern)): run "
          + "ulimit -c 0 before you start them, or set a hard core 0 in /etc/security/limits.conf.")
    ]
  }

  private func note(_ text: String) -> SystemNote { SystemNote(topic: .core, text: text) }

  /// The soft limit of the size of a core file, in the kernel's words; nil if it cannot be read.
  private func limit(_ view: SystemView, of process: Int32) -> String? {
    let title = "Max core file size"
    return view.lines("proc/\(process)/limits").first { $0.hasPrefix(title) }
      .flatMap { $0.dropFirst(title.count).split(separator: " ").first.map(String.init) }
  }

  private func storage(_ view: SystemView) -> String? {
    let folder = "etc/systemd/coredump.conf.d"
    let files =
      ["etc/systemd/coredump.conf"] + view.names(folder).filter { $0.hasSuffix(".conf") }.map { "\(folder)/\($0)" }
    // The last setting counts.
    return files.flatMap(view.lines).map { $0.filter { !$0.isWhitespace }.lowercased() }
      .last { $0.hasPrefix("storage=") }.map { String($0.dropFirst("storage=".count)) }
  }
}

/// Whether users may admit other users to their mounts.
struct FuseCheck: SystemCheck {
  func notes(_ view: SystemView, _ subject: SystemSubject) -> [SystemNote] {
    guard
      view.lines("etc/fuse.conf").contains(where: { $0.split(whereSeparator: \.isWhitespace) == ["user_allow_other"] })
    else { return [] }
    return [
      SystemNote(
        topic: .fuse,
        text:
          "Users may let other users and system services into their mounts (allow_other): if no user here needs that, "
          + "remove user_allow_other from /etc/fuse.conf.")
    ]
  }
}

/// Landlock, with which the kernel keeps the image decoder away from all files; since Linux 5.13.
struct LandlockCheck: SystemCheck {
  func notes(_ view: SystemView, _ subject: SystemSubject) -> [SystemNote] {
    let advice = "the image decoder is then confined by its filter of system calls only"
    if let modules = view.line("sys/kernel/security/lsm"), !modules.isEmpty {
      guard !modules.split(separator: ",").contains("landlock") else { return [] }
      return [
        SystemNote(
          topic: .landlock,
          text:
            "Landlock is switched off, and \(advice): add landlock to the list after lsm= on the kernel's command line."
        )
      ]
    }
    let numbers = (view.line("proc/sys/kernel/osrelease") ?? "").split { !$0.isNumber }.prefix(2).compactMap { Int($0) }
    guard numbers.count == 2, (numbers[0], numbers[1]) < (5, 13) else { return [] }
    return [
      SystemNote(
        topic: .landlock,
        text: "This kernel is older than Linux 5.13 and does not have Landlock, and \(advice): update it.")
    ]
  }
}

/// The limit of locked memory, which the keys need.
struct LockedMemoryCheck: SystemCheck {
  func notes(_ view: SystemView, _ subject: SystemSubject) -> [SystemNote] {
    subject.lockedMemory.map { [SystemNote(topic: .memory, text: $0)] } ?? []
  }
}
