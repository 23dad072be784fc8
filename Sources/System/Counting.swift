extension BinaryInteger {
  /// The number and what is counted, such as `1 file` and `2 files`, or `1 file is` and `0 files are`.
  ///
  /// - Parameter several: the words beside any number but 1, if they are not `one` with an s at its end.
  package func counted(_ one: String, _ several: String? = nil) -> String {
    "\(self) \(self == 1 ? one : several ?? one + "s")"
  }
}
