internal import ArgumentParser
internal import Catalog
internal import Client
internal import System
internal import SystemPackage

/// `agonyfs duplicates --merge`: shows the plan, asks once, and carries it out.
struct DuplicateDialogue {
  let finder: DuplicateFinder
  let mountPoint: [UInt8]
  let keeping: DuplicateGroup.Keeping
  /// Whether to merge without asking.
  let isAgreedTo: Bool
  let isJSON: Bool

  func run() throws {
    var chosen: [(group: DuplicateGroup, kept: DuplicateGroup.Member)] = []
    // A file is in at most one merge. The next run finds its other duplicates.
    var used = Set<[UInt8]>()
    var staying: [(left: DuplicateGroup.Member, kept: DuplicateGroup.Member)] = []
    var waiting = 0
    try finder.all { group in
      guard group.members.allSatisfy({ !used.contains($0.path) }) else {
        waiting += 1
        return
      }
      guard let kept = choose(group) else { return }
      let others = group.others(than: kept)
      staying += others.staying.map { (left: $0, kept: kept) }
      guard !others.going.isEmpty else { return }
      used.formUnion(([kept] + others.going).map(\.path))
      chosen.append((group, kept))
    }
    sayLeft(staying, waiting)
    guard !chosen.isEmpty else { return Output.note("There is nothing to merge.") }
    let merge = try DuplicateMerge(finder.library, mountPoint: mountPoint)
    if !isJSON { for (group, kept) in chosen { sayTakings(of: kept, group, by: merge) } }
    let going = chosen.flatMap { group, kept in group.others(than: kept).going }
    let bytes = ByteSize(bytes: Int64(going.reduce(0) { $0 + $1.room }))
    let plan =
      "\(chosen.count.counted("photo")) kept, \(going.count.counted("file")) (\(bytes)) moved to the trash folder"
    let question = "\(plan.prefix(1).uppercased() + plan.dropFirst()). Do that?"
    guard isAgreedTo || !isJSON && Terminal()?.confirm(question) ?? false else {
      let refusal = "Nothing was changed; to merge (\(plan)), answer y at a terminal or add --yes."
      // A user who was asked at the terminal knows it already.
      guard !isJSON, Terminal() != nil else { throw CommandFailure(.usage, refusal) }
      Output.note(refusal)
      return
    }
    var left = 0
    for (group, kept) in chosen {
      do {
        try merge.merge(group, keeping: kept)
        try tell(group, kept)
      } catch let error as DuplicateMerge.Left {
        left += 1
        Output.note("\(shown(kept)) was not merged: \(error.reason).")
      } catch let error as WordsRefused {
        left += 1
        Output.note("\(shown(kept)) was not merged: \(error.reason)")
      } catch let error as Errno {
        // These errors would hit every further group as well.
        if error == .noSpace || error == .readOnlyFileSystem { throw CommandFailure(error, doing: "merging") }
        left += 1
        Output.note("\(shown(kept)) was not merged, or only in part: \(error.description).")
      }
    }
    if left > 0 { throw ExitCode(CommandStatus.failure.rawValue) }
  }

  private func shown(_ member: DuplicateGroup.Member) -> String { shown(member.path) }

  private func shown(_ path: [UInt8]) -> String { TerminalText.safe(finder.library.shown(path)) }

  /// Most remaining files that are listed one by one.
  private static let mostNamed = 20

  private func sayLeft(
    _ staying: [(left: DuplicateGroup.Member, kept: DuplicateGroup.Member)], _ waiting: Int
  ) {
    for (left, kept) in staying.prefix(Self.mostNamed) {
      Output.note("\(shown(left)) stays: it is like another file of its group, but not like \(shown(kept)).")
    }
    let more = staying.count - Self.mostNamed
    if more > 0 { Output.note("\(more.counted("more file")) \(more == 1 ? "stays" : "stay") for the same reason.") }
    if waiting > 0 {
      let clause =
        waiting == 1 ? "was not merged yet, because it shares a file" : "were not merged yet, because they share files"
      Output.note("\(waiting.counted("group")) \(clause) with another group; run this command again.")
    }
  }

  /// Shows what the kept file takes over from the others.
  private func sayTakings(of kept: DuplicateGroup.Member, _ group: DuplicateGroup, by merge: DuplicateMerge) {
    // If this fails now, the merge fails later as well and reports it.
    guard let takings = try? merge.takings(of: kept, group.others(than: kept).going) else { return }
    let text = takings.shown(shown)
    if !text.isEmpty { Output.note("\(shown(kept)) gets: \(text).") }
  }

  /// Chooses the file to keep; nil if the user leaves the group as it is.
  private func choose(_ group: DuplicateGroup) -> DuplicateGroup.Member? {
    let members = group.sorted(by: keeping)
    guard keeping == .ask else { return members.first }
    guard let terminal = Terminal() else { return nil }
    Output.writeError("\n\(members.count.counted("file")): \(group.kind.words)\n")
    for (index, member) in members.enumerated() {
      Output.writeError("  \(index + 1)  \(shown(member))  (\(ShortWords.size(member.size)), \(member.dimensions))\n")
    }
    while true {
      let question = "Keep which file (1-\(members.count); press Enter to keep all)?"
      guard let answer = terminal.ask(question) else { return nil }
      if let number = Int(answer), members.indices.contains(number - 1) { return members[number - 1] }
    }
  }

  private func tell(_ group: DuplicateGroup, _ kept: DuplicateGroup.Member) throws {
    let (others, staying) = group.others(than: kept)
    guard isJSON else {
      return Output.line("\(shown(kept)): \(others.count.counted("other")) moved to the trash")
    }
    let output = OutputBuffer()
    func names(_ members: [DuplicateGroup.Member]) -> JSONValue {
      .array(members.map { .string(String(decoding: finder.library.shown($0.path), as: UTF8.self)) })
    }
    var fields = JSONPaths.path("kept", finder.library.shown(kept.path))
    fields.append(.init(name: "trashed", value: names(others)))
    if !staying.isEmpty { fields.append(.init(name: "left", value: names(staying))) }
    try output.append { $0 += JSONWriter.bytes(.object(fields)) + [UInt8(ascii: "\n")] }
    try output.flush()
  }
}
