internal import Client
internal import SystemPackage

/// Why a request of a browser failed, as a word for programs and a sentence for people.
public struct GalleryError: Error, Equatable, Sendable {
  /// The kind of failure.
  public enum Kind: String, Sendable {
    case badRequest = "bad-request"
    case emptyName = "empty-name"
    case badName = "bad-name"
    case nameTooLong = "name-too-long"
    case forbidden
    case readOnly = "read-only"
    case notFound = "not-found"
    case exists
    case conflict
    case gone
    case tooLarge = "too-large"
    case badMedia = "bad-media"
    case badRange = "bad-range"
    case wrongChecksum = "wrong-checksum"
    case busy
    case full
    case unavailable
    case failed

    /// The HTTP status. 460 is defined by the checksum extension of tus 1.0.0.
    public var status: Int {
      switch self {
      case .badRequest, .emptyName, .badName, .nameTooLong: 400
      case .forbidden, .readOnly: 403
      case .notFound: 404
      case .exists, .conflict: 409
      case .gone: 410
      case .tooLarge: 413
      case .badMedia: 415
      case .badRange: 416
      case .busy: 423
      case .wrongChecksum: 460
      case .failed: 500
      case .unavailable: 503
      case .full: 507
      }
    }
  }

  /// The kind of failure.
  public var kind: Kind
  /// The sentence for people.
  public var detail: String

  /// The range of the mistake in the query, in UTF-16 units; nil if the failure is not about a query.
  public var place: Range<Int>?

  /// A failure with its sentence.
  public init(_ kind: Kind, _ detail: String, at place: Range<Int>? = nil) {
    self.kind = kind
    self.detail = detail
    self.place = place
  }

  /// The failure for an error of a system call. `thing` is the subject of the sentence: "The photo".
  init(_ error: Errno, _ thing: String = "The file") {
    switch error {
    case .noSuchFileOrDirectory, .notDirectory: self.init(.notFound, "\(thing) is not there.")
    case .tooManySymbolicLinkLevels, .improperLink: self.init(.notFound, "\(thing) is not a file of the space.")
    case .permissionDenied, .notPermitted:
      self.init(.forbidden, "\(thing) may not be used by this server; check its owner and permissions.")
    case .readOnlyFileSystem: self.init(.readOnly, "The space is read-only.")
    case .noSpace, .diskQuotaExceeded: self.init(.full, "The vault is full; make room and try again.")
    case .fileExists: self.init(.exists, "This name is already taken.")
    case .directoryNotEmpty: self.init(.conflict, "The album is not empty.")
    case .fileNameTooLong: self.init(.nameTooLong, "The name is too long.")
    case .invalidArgument, .isDirectory: self.init(.badRequest, "\(thing) cannot be used in this way.")
    case .fileTooLarge: self.init(.tooLarge, "The file is too large for the vault.")
    case .socketNotConnected, .operationNotSupportedByDevice, .noSuchAddressOrDevice, .staleNFSFileHandle:
      self.init(.unavailable, "The space is not mounted any more.")
    default: self.init(.failed, "\(thing) cannot be read or written: \(error.description).")
    }
  }

  /// Calls `body`, and converts errors of the system and the catalog.
  static func of<Result>(_ thing: String, _ body: () throws -> Result) throws(GalleryError) -> Result {
    do {
      return try body()
    } catch let error as GalleryError {
      throw error
    } catch let error as Errno {
      throw GalleryError(error, thing)
    } catch let error as AnswerFailure {
      throw GalleryError(error.isQuery ? .badRequest : .failed, error.message)
    } catch let error as WordsRefused {
      throw GalleryError(.badRequest, error.reason)
    } catch {
      throw GalleryError(.failed, "\(thing) cannot be read or written.")
    }
  }
}
