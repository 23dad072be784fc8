extension BinaryInteger {
  /// The number and the counted things, such as `1 file` and `2 files`, or `1 file is` and `0 files are`.
  ///
  /// - Parameter several: the words for any number except 1, if they are not `one` with an s at its end.
  package func counted(_ one: String, _ several: String? = nil) -> String {
    "\(self) \(self == 1 ? one : several ?? one + "s")"
  }
}
