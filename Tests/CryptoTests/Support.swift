import TestSupport

@testable import Crypto

extension SealingKey {
  convenience init(_ suite: CipherSuite, _ bytes: [UInt8]) { self.init(suite: suite, key: SecretBytes(bytes)) }

  func seal(_ plaintext: [UInt8], at offset: UInt64, kind: UInt8) -> [UInt8] {
    var sealed = [UInt8](repeating: 0, count: plaintext.count + CipherSuite.tagSize)
    unsafe plaintext.withUnsafeBytes { plaintext in
      unsafe sealed.withUnsafeMutableBytes { sealed in
        SealingContext.with { context in unsafe seal(plaintext, at: offset, kind: kind, into: sealed, context) }
      }
    }
    return sealed
  }

  func open(_ sealed: [UInt8], at offset: UInt64, kind: UInt8) -> [UInt8]? {
    var plaintext = [UInt8](repeating: 0, count: max(0, sealed.count - CipherSuite.tagSize))
    let opened = unsafe sealed.withUnsafeBytes { sealed in
      unsafe plaintext.withUnsafeMutableBytes { plaintext in
        SealingContext.with { context in unsafe open(sealed, at: offset, kind: kind, into: plaintext, context) }
      }
    }
    return opened ? plaintext : nil
  }
}
