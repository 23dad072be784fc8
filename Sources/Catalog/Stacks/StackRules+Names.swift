internal import Media

extension StackRules {
  private struct Key: Hashable {
    var directory: UInt64
    var text: [UInt8]
  }

  /// Groups files of one directory by a text that they share, in the order of the files.
  private func groups(_ indices: [Int], by text: (Int) -> [UInt8]?) -> [(key: Key, members: [Int])] {
    var groups: [Key: [Int]] = [:]
    for index in indices {
      if let text = text(index) {
        groups[Key(directory: items[index].directory, text: text), default: []].append(index)
      }
    }
    return groups.map { ($0.key, $0.value) }.sorted { $0.members[0] < $1.members[0] }
  }

  mutating func joinByName(_ indices: [Int]) {
    let stemGroups = groups(indices) { stems[$0] }
    joinLiveByIdentifier(indices)
    for group in stemGroups where group.members.count > 1 {
      joinLive(group.members)
      joinRaw(group.members)
    }
    let byStem = Dictionary(uniqueKeysWithValues: stemGroups.map { ($0.key, $0.members) })
    for index in indices where items[index].kind.isVideo {
      let name = NameParts.lowered(items[index].name)
      guard NameParts.isMotion(ofName: name) else { continue }
      joinLive([index] + (byStem[Key(directory: items[index].directory, text: name)] ?? []))
    }
    joinBursts(indices)
    joinEdited(indices, byStem)
  }

  /// Files with the same identifier are one live photo. Copies in another directory are duplicates, not the same
  /// stack; so files are first paired within each directory, by their names if there are several.
  private mutating func joinLiveByIdentifier(_ indices: [Int]) {
    var byIdentifier: [[UInt8]: [Int]] = [:]
    for index in indices {
      if let identifier = items[index].contentIdentifier, !identifier.isEmpty {
        byIdentifier[Array(identifier.utf8), default: []].append(index)
      }
    }
    for members in byIdentifier.values {
      var left = members
      for group in groups(members, by: { stems[$0] }) { pair(group.members, &left) }
      for group in groups(left, by: { _ in [] }) { pair(group.members, &left, isOnly: true) }
      pair(left, &left, isOnly: true)
    }
  }

  private mutating func pair(_ members: [Int], _ left: inout [Int], isOnly: Bool = false) {
    let photos = members.filter { !items[$0].kind.isVideo }
    let videos = members.filter { items[$0].kind.isVideo }
    guard let first = photos.first, !videos.isEmpty, !isOnly || photos.count == 1 && videos.count == 1 else { return }
    for member in members where member != first { join(first, member, .live) }
    left.removeAll { members.contains($0) }
  }

  /// Joins by names and times, if at least one of the two files lacks an identifier.
  private mutating func joinLive(_ members: [Int]) {
    for video in members where items[video].kind.isVideo {
      guard let duration = items[video].duration, duration <= Self.liveDuration else { continue }
      for photo in members where !items[photo].kind.isVideo && items[photo].kind != .raw {
        if items[photo].contentIdentifier != nil, items[video].contentIdentifier != nil { continue }
        if items[photo].isClose(to: items[video], within: Self.liveGap) { join(photo, video, .live) }
      }
    }
  }

  private mutating func joinRaw(_ members: [Int]) {
    for raw in members where items[raw].kind == .raw {
      guard let camera = items[raw].camera else { continue }
      for photo in members where !items[photo].kind.isVideo && items[photo].kind != .raw {
        guard let other = items[photo].camera, Folding.fold(camera) == Folding.fold(other) else { continue }
        if items[raw].isClose(to: items[photo], within: Self.rawGap) { join(raw, photo, .raw) }
      }
    }
  }

  private mutating func joinBursts(_ indices: [Int]) {
    let photos = indices.filter { !items[$0].kind.isVideo }
    let identified = groups(photos) { index in
      items[index].burstIdentifier.flatMap { $0.isEmpty ? nil : Array($0.utf8) }
    }
    let named = groups(photos) { index in
      items[index].burstIdentifier == nil ? NameParts.burst(ofStem: stems[index])?.key : nil
    }
    for group in identified + named {
      for member in group.members.dropFirst() { join(group.members[0], member, .burst) }
    }
    for index in photos where NameParts.burst(ofStem: stems[index])?.isCover == true { seriesCovers.insert(index) }
    for group in groups(photos, by: { NameParts.pixelSeries(ofStem: stems[$0])?.key }) where group.members.count > 1 {
      let hasRaw = group.members.contains { items[$0].kind == .raw }
      for member in group.members.dropFirst() { join(group.members[0], member, hasRaw ? .raw : .edited) }
      for member in group.members where NameParts.pixelSeries(ofStem: stems[member])?.isCover == true {
        seriesCovers.insert(member)
      }
    }
  }

  /// Joins an edited version with its original next to it. Programs keep the original's time, so a different time
  /// means a different photo.
  private mutating func joinEdited(_ indices: [Int], _ byStem: [Key: [Int]]) {
    for index in indices {
      let directory = items[index].directory
      let suffixed = NameParts.original(ofStem: stems[index])
      // Phones start again at IMG_0001, so the name alone does not identify the original.
      let needsTime = suffixed == nil
      guard
        let stem = suffixed ?? NameParts.appleOriginal(ofStem: stems[index])
          ?? NameParts.phoneOriginal(ofStem: stems[index])
      else { continue }
      let originals = (byStem[Key(directory: directory, text: stem)] ?? []).filter { original in
        guard items[original].kind.isVideo == items[index].kind.isVideo else { return false }
        return items[original].gap(to: items[index]).map { $0 <= Self.rawGap } ?? !needsTime
      }
      guard !originals.isEmpty else { continue }
      edited.insert(index)
      for original in originals { join(original, index, .edited) }
    }
  }
}
