internal import System

/// Unencrypted swap space: the memory of viewers, with pictures and names, may be written there.
struct SwapCheck: SystemCheck {
  func notes(_ view: SystemView, _ subject: SystemSubject) -> [SystemNote] {
    let devices = BlockDevices(view)
    return view.lines("proc/swaps").dropFirst().compactMap { line -> SystemNote? in
      let fields = line.split(whereSeparator: \.isWhitespace)
      guard fields.count >= 2 else { return nil }
      let name = String(decoding: OctalText.unescaped(fields[0].utf8), as: UTF8.self)
      guard !(fields[1] == "file" ? devices.protectsFile(name) : devices.protects(name)) else { return nil }
      return SystemNote(
        topic: .swap,
        text: "The swap space \(name) is not encrypted, and memory of the programs that show photos may get there: "
          + "encrypt it (crypttab(5)), use zram instead, or switch it off with swapoff \(name).")
    }
  }
}

/// Hibernation, which writes all memory to a disk, including locked memory.
struct HibernationCheck: SystemCheck {
  func notes(_ view: SystemView, _ subject: SystemSubject) -> [SystemNote] {
    guard view.line("sys/power/state")?.split(separator: " ").contains("disk") == true,
      let ways = view.line("sys/power/disk"), !ways.contains("[disabled]")
    else { return [] }
    let words = (view.line("proc/cmdline") ?? "").split(separator: " ")
    let isSet = view.line("sys/power/resume").map { $0 != "0:0" && !$0.isEmpty } ?? false
    guard !words.contains("noresume"), isSet || words.contains(where: { $0.hasPrefix("resume=") }) else { return [] }
    return [
      SystemNote(
        topic: .hibernation,
        text:
          "Hibernation writes all memory to the disk, including the keys of mounted spaces: run agonyfs lock first, or "
          + "switch it off with systemctl mask hibernate.target hybrid-sleep.target suspend-then-hibernate.target.")
    ]
  }
}
