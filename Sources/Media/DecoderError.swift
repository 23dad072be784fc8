package import SystemPackage

/// Why a decoder job failed.
package enum DecoderError: Error, Sendable, Equatable {
  /// The content has no supported format.
  case notMedia
  /// The format is supported, but the content is damaged or of a variant that the libraries do not know. The reason
  /// is theirs, in at most 200 printable ASCII characters.
  case undecodable(String)
  /// It has more pixels than the limit.
  case tooLarge
  /// The decoder ended during the job, or broke the protocol.
  case crashed
  /// Another process killed the decoder during the job, twice: a person, or the kernel for lack of memory. The file
  /// may or may not be the cause.
  case killed
  /// The job timed out.
  case timedOut
  /// The decoder cannot be started, is not confined as required, or was stopped. The file is not the cause.
  case unavailable(String)
  /// Reading the file failed. Its content is not the cause.
  case source(Errno)

  /// A video where a picture was expected.
  package static let video = DecoderError.undecodable("a video")
}
