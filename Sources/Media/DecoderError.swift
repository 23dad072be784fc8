package import SystemPackage

/// Why there are no derivatives.
package enum DecoderError: Error, Sendable, Equatable {
  /// The content has no supported format.
  case notMedia
  /// The format is supported, but the content is damaged or of a variant that the libraries do not know. With their
  /// reason: at most 200 printable ASCII characters.
  case undecodable(String)
  /// It has more pixels than the limit.
  case tooLarge
  /// The decoder ended during the job, or broke the protocol.
  case crashed
  /// Somebody else killed the decoder during the job, twice: a person, or the kernel for lack of memory. The file may
  /// or may not be to blame.
  case killed
  /// The job timed out.
  case timedOut
  /// The decoder cannot be started, is not confined as required, or was stopped. Not a property of the file.
  case unavailable(String)
  /// Reading the file failed. Not a property of its content.
  case source(Errno)

  /// What was to be decoded as a picture is a video.
  package static let video = DecoderError.undecodable("a video")
}
