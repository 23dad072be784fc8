extension StoreReply {
  /// The meaning of a reply that is not a success. A code says more than a status, and a status without a code of S3 may
  /// be that of a proxy: it never means that an object or a bucket is missing, except for `head`, whose replies have no
  /// body.
  package func failure(of action: StoreAction) -> StoreError {
    if let code = errorCode, let error = Self.meaning(of: code, action, region: region.isEmpty ? errorRegion : region) {
      return error
    }
    switch status {
    case 301 where !region.isEmpty: return .wrongRegion(Self.name(region))
    case 300..<400: return status == 304 ? broken : .redirected
    case 400 where action == .head && !region.isEmpty: return .wrongRegion(Self.name(region))
    case 401: return .wrongCredentials
    case 403: return .denied(action)
    case 404 where action == .head: return .notFound
    case 409: return action.changes ? .unknownOutcome : .slowDown
    case 412 where action == .put: return .alreadyThere
    case 429: return .slowDown
    case 507: return .quota
    // A proxy may have passed the request on.
    case 408, 500, 502...504: return action.changes ? .unknownOutcome : .slowDown
    case 400..<600: return errorCode.map { .refused(Self.name($0) ?? "status \(status)") } ?? broken
    default: return broken
    }
  }

  /// Whether the store refused the time of the request, or may have: replies to `head` give no reason.
  ///
  /// - Parameter signed: the time in the signature.
  package func refusesTime(_ signed: RequestTime) -> Bool {
    if errorCode == "RequestTimeTooSkewed" || errorCode == "RequestExpired" { return true }
    guard status == 403, errorCode == nil || errorCode == "AccessDenied", let date else { return false }
    return abs(date.seconds - signed.seconds) > 300
  }

  private var broken: StoreError { .brokenReply("status \(status)") }

  private static func meaning(of code: String, _ action: StoreAction, region: String?) -> StoreError? {
    switch code {
    case "NoSuchKey": .notFound
    case "NoSuchBucket": .noBucket
    case "AccessDenied", "AllAccessDisabled", "AccountProblem", "MethodNotAllowed": .denied(action)
    case "InvalidAccessKeyId", "SignatureDoesNotMatch", "ExpiredToken", "InvalidToken", "TokenRefreshRequired",
      "NotSignedUp", "InvalidSecurity", "InvalidClientTokenId":
      .wrongCredentials
    case "PermanentRedirect", "AuthorizationHeaderMalformed", "IllegalLocationConstraintException", "InvalidRegion":
      .wrongRegion(region.flatMap { name($0) })
    case "TemporaryRedirect", "Redirect": .redirected
    case "RequestTimeTooSkewed", "RequestExpired": .wrongClock
    case "QuotaExceeded", "XMinioStorageFull", "XMinioAdminBucketQuotaExceeded", "InsufficientStorage": .quota
    case "PreconditionFailed" where action == .put: .alreadyThere
    // Refused before the request was carried out.
    case "SlowDown", "Busy", "TooManyRequests", "ThrottlingException", "RequestLimitExceeded": .slowDown
    case "BadDigest", "XAmzContentSHA256Mismatch", "XAmzContentChecksumMismatch", "IncompleteBody", "InvalidDigest":
      .damagedOnTheWay
    default: nil
    }
  }

  /// A code or a region, if it is one word of letters, digits, dots and hyphens.
  private static func name(_ text: String) -> String? {
    let isName = text.utf8.allSatisfy {
      (0x30...0x39).contains($0) || (0x41...0x5a).contains($0 & 0xdf) || $0 == 0x2d || $0 == 0x2e
    }
    return isName && (1...64).contains(text.utf8.count) ? text : nil
  }
}
