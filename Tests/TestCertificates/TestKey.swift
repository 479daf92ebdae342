import COpenSSL

/// A key pair, made anew.
package final class TestKey: @unchecked Sendable {  // never changed
  package enum Kind: Sendable {
    case p256
    case ed25519
    case rsa(bits: Int32)

    var algorithm: String {
      switch self {
      case .p256: "EC"
      case .ed25519: "ED25519"
      case .rsa: "RSA"
      }
    }
  }

  let handle: OpaquePointer
  let kind: Kind

  package init(_ kind: Kind = .p256) throws(TestCertificateError) {
    self.kind = kind
    let context = EVP_PKEY_CTX_new_from_name(nil, kind.algorithm, nil)
    defer { EVP_PKEY_CTX_free(context) }
    try require(EVP_PKEY_keygen_init(context))
    switch kind {
    case .p256: try require(EVP_PKEY_CTX_set_group_name(context, "P-256"))
    case .rsa(let bits): try require(EVP_PKEY_CTX_set_rsa_keygen_bits(context, bits))
    case .ed25519: break
    }
    var handle: OpaquePointer?
    try require(EVP_PKEY_generate(context, &handle))
    guard let handle else { throw TestCertificateError(what: "a key: \(kind)") }
    self.handle = handle
  }

  deinit { EVP_PKEY_free(handle) }
}

/// OpenSSL did not make what a test needs.
package struct TestCertificateError: Error {
  let what: String
}

func require(_ status: Int32, _ function: String = #function) throws(TestCertificateError) {
  guard status > 0 else { throw TestCertificateError(what: "\(function): a call of OpenSSL returned \(status)") }
}
