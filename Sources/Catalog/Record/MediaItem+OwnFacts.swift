extension MediaItem {
  /// How much the file itself states about how it was taken: 2 for its camera, and 1 for its time. A program that
  /// saves a picture again often removes both.
  package var ownFacts: Int {
    let own = Self.union([.exif, .xmp, .iptc, .quickTime, .satellite, .header])
    // These sources hide the file's own time. A file that states its camera usually states its time too.
    let hiding = Self.union([.override, .attribute, .mapping, .sidecar])
    // Programs copy the camera from the file into its sidecar, which then has priority.
    let hasCamera = !own.union(FactSources(.sidecar)).isDisjoint(with: sources[.make].union(sources[.model]))
    let time = taken.map { FactSources($0.source) } ?? []
    let hasTime = !own.isDisjoint(with: time) || hasCamera && !hiding.isDisjoint(with: time)
    return (hasCamera ? 2 : 0) + (hasTime ? 1 : 0)
  }

  private static func union(_ sources: [FactSource]) -> FactSources {
    sources.reduce(into: []) { $0.insert(FactSources($1)) }
  }
}
