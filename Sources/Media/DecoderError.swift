package import SystemPackage

/// Why there are no derivatives.
package enum DecoderError: Error, Sendable, Equatable {
  /// The content is of no format that is decoded.
  case notMedia
  /// The format is known, but the content is damaged or of a kind that the libraries do not know; with their reason, at most
  /// 200 printable characters of ASCII.
  case undecodable(String)
  /// More pixels than are decoded.
  case tooLarge
  /// The decoder ended in the middle of the job, or answered against the rules.
  case crashed
  /// Somebody else ended the decoder in the middle of the job, twice: a person, or a machine without memory. Whether the file is to
  /// blame is not known.
  case killed
  /// The decoder did not answer in time.
  case timedOut
  /// The decoder cannot be started, is not confined as required, or was stopped; not a property of the file.
  case unavailable(String)
  /// Reading the file failed; not a property of its content.
  case source(Errno)
}
