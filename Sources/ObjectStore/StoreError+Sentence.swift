extension StoreError {
  /// The exit status of a command that fails for this reason: 17 if the store is full, 20 if it cannot be reached now,
  /// 21 if it refuses the address or the credentials, otherwise 1.
  package var exitStatus: Int32 {
    switch self {
    case .quota: 17
    case .slowDown, .noSuchHost, .unreachable, .interrupted, .brokenReply, .unknownOutcome, .damagedOnTheWay: 20
    case .denied, .wrongCredentials, .noCredentials, .wrongRegion, .noBucket, .wrongClock, .redirected,
      .untrustedCertificate:
      21
    case .notFound, .alreadyThere, .keptOtherBytes, .lags, .refused, .unavailable: 1
    }
  }

  /// Describes the failure for the user, and says what to do next.
  package func sentence(for address: StoreAddress) -> String {
    let (store, host) = ("\(address)", address.host)
    return switch self {
    case .notFound: "An object is missing in \(store)."
    case .alreadyThere: "Another program has already stored an object under this name in \(store)."
    case .unknownOutcome:
      "The reply of \(host) was lost, so it is not known whether the change was made; try again."
    case .denied(let action): "\(store) does not permit \(action.gerund) with these credentials; \(action.advice)"
    case .wrongCredentials:
      "\(host) does not accept the credentials; check the access key and the secret key, and whether they have expired."
    case .noCredentials(let reason): reason
    case .wrongRegion(let region?): "The bucket \(address.bucket) is in the region \(region); set that region."
    case .wrongRegion(nil): "The bucket \(address.bucket) is not in the region \(address.region); set the right region."
    case .noBucket: "\(host) has no bucket \(address.bucket); check the name and the endpoint, or create the bucket."
    case .quota: "\(store) is full: the quota of the bucket or its owner is used up; raise it, or delete photos."
    case .slowDown: "\(host) is busy and asks for fewer requests; try again in a few minutes."
    case .wrongClock: "\(host) refuses the time of the requests; set the clock of this machine."
    case .damagedOnTheWay:
      "Bytes were damaged on the way to \(host), which did not store them; try again, and check the network and proxies."
    case .keptOtherBytes:
      "\(host) confirmed an object and holds other bytes than it was sent; do not use this store."
    case .lags:
      "\(host) does not show at once what was stored or deleted, so a copy there could look complete and lack files; use "
        + "another store."
    case .redirected:
      "\(host) redirects to another server, which agonyfs does not follow; use the endpoint of the bucket itself."
    case .untrustedCertificate:
      "The TLS certificate of \(host) is not trusted; check the endpoint and the clock, or add the authority that signed it."
    case .noSuchHost: "No address was found for \(host); check the endpoint and the network."
    case .unreachable: "No connection to \(host) could be made; check the network and the port of the endpoint."
    case .interrupted: "The connection to \(host) ended, stood still or was too slow; try again, and check the network."
    case .brokenReply(let reason):
      "\(host) did not answer like an object store (\(reason)); check the endpoint, the network and proxies."
    case .refused(let code):
      "\(store) refused a request with the error \(code); look it up in the provider's documentation, and check the "
        + "settings of the bucket."
    case .unavailable(let reason): "The helper agonyfs-store cannot be used: \(reason)."
    }
  }
}

extension StoreAction {
  fileprivate var gerund: String {
    switch self {
    case .list: "listing objects"
    case .head, .get: "reading objects"
    case .put: "storing objects"
    case .delete: "deleting objects"
    case .settings: "reading the settings of the bucket"
    }
  }

  fileprivate var advice: String {
    let permission =
      switch self {
      case .list: "s3:ListBucket"
      case .head, .get: "s3:GetObject"
      case .put: "s3:PutObject"
      case .delete: "s3:DeleteObject"
      case .settings: "s3:GetBucketVersioning and s3:GetBucketObjectLockConfiguration"
      }
    return "grant \(permission)."
  }
}
