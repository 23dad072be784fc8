internal import SystemPackage

/// What `agonyfs run` says once, at its start.
enum RunNotice {
  /// The sentences.
  ///
  /// - Parameter obstacle: why the session is not private.
  static func text(_ places: SessionPlaces, obstacle: String?, isReadOnly: Bool) -> String {
    guard let obstacle else {
      let kept = "What is saved outside \(places.album) and the directories of --keep vanishes with this session."
      let swap = "It is in memory, which may be swapped."
      return "\(kept) \(swap) Other processes of yours can look into it while it runs, by /proc."
    }
    let place =
      isReadOnly ? "in memory" : "in the space, in the folder \(RedirectedSession.folder)"
    return """
      This session is not private, because \(obstacle). Programs are asked to keep their files \(place); what ignores \
      that stays on this machine: .viminfo, .bash_history, files in ~/Pictures and in /tmp. The mount can be seen by \
      other programs of yours. --require-private refuses instead.
      """
  }
}
