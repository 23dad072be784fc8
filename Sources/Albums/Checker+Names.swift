internal import Index
internal import Vault

/// Names and link counts.
extension Checker {
  func checkNames(_ index: Index) throws(IndexError) {
    var last: LocatedDentry?
    while true {
      let step = try index.dentries(after: last, limit: Self.step)
      guard let end = step.last else { return }
      last = end
      for dentry in step { checkName(dentry) }
    }
  }

  private func checkName(_ dentry: LocatedDentry) {
    let number = dentry.entry.inode
    guard let parent = inodes[dentry.parent], UInt32(parent.kind) << 12 == FileKind.directory else {
      return add("a name is in what is no directory", dentry.parent)
    }
    guard let facts = inodes[number] else { return add("a name stands for no inode", dentry.parent) }
    if facts.kind != dentry.entry.kind { add("a name tells another kind than its inode", number) }
    inodes[number]?.names += 1
    guard UInt32(facts.kind) << 12 == FileKind.directory else { return }
    inodes[dentry.parent]?.subdirectories += 1
    if facts.parent != dentry.parent { add("a directory is named elsewhere than it says", number) }
  }

  /// Compares link counts with the names that were found, and follows every directory up to the root.
  func checkLinks() {
    var reached: Set<InodeNumber> = [.root]
    for (number, facts) in inodes.sorted(by: { $0.key < $1.key }) {
      if UInt32(facts.kind) << 12 == FileKind.directory {
        checkDirectory(number, facts, &reached)
      } else {
        if facts.links != facts.names { add("the inode counts \(facts.links) names and has \(facts.names)", number) }
        if facts.links == 0 && !facts.isOrphan { add("the inode has no name and is no orphan", number) }
      }
    }
    if inodes[.root] == nil { add("there is no root directory", .root) }
  }

  private func checkDirectory(_ number: InodeNumber, _ facts: Facts, _ reached: inout Set<InodeNumber>) {
    if facts.links == 0 {
      if !facts.isOrphan || facts.names > 0 { add("the directory should have no name and be an orphan", number) }
      return
    }
    if facts.links != 2 + facts.subdirectories {
      add("the directory counts \(facts.links) links and has \(2 + facts.subdirectories)", number)
    }
    if facts.names != (number == .root ? 0 : 1) { add("the directory has \(facts.names) names", number) }
    var path: [InodeNumber] = []
    var current = number
    while !reached.contains(current) {
      guard let parent = inodes[current]?.parent, path.count <= inodes.count else {
        return add("the directory cannot be reached from the root", number)
      }
      path.append(current)
      current = parent
    }
    reached.formUnion(path)
  }

  /// Finds the paths of all inodes with problems.
  func addPaths(_ index: Index) throws(IndexError) {
    let wanted = damaged.union(report.problems.compactMap(\.inode))
    guard !wanted.isEmpty else { return }
    var paths: [InodeNumber: [String]] = [:]
    for (inode, parent, name) in try index.names(of: wanted) {
      paths[inode, default: []].append(try path(of: parent, index, depth: 0) + name.description)
    }
    if wanted.contains(.root) { paths[.root] = ["/"] }
    for place in report.problems.indices {
      if let inode = report.problems[place].inode { report.problems[place].paths = (paths[inode] ?? []).sorted() }
    }
    report.damagedPaths = damaged.flatMap { paths[$0] ?? ["(inode \($0.rawValue), which has no name)"] }.sorted()
  }

  /// The path of a directory, with a "/" at its end.
  private func path(of directory: InodeNumber, _ index: Index, depth: Int) throws(IndexError) -> String {
    var names: [String] = []
    var current = directory
    while current != .root {
      guard names.count <= inodes.count, let entry = try index.entry(ofDirectory: current) else {
        names.append("(lost)")
        break
      }
      names.append(entry.entry.name.description)
      current = entry.parent
    }
    return names.isEmpty ? "/" : "/" + names.reversed().joined(separator: "/") + "/"
  }
}
