import COpenSSL
import Cryptography

/// Signatures of tokens, for keys of RSA and P-256.
extension TestKey {
  /// The signature as tokens have it. Also signs with SHA-512, for headers that claim RS512.
  package func signature(
    of message: [UInt8], by algorithm: SignatureAlgorithm, digest: String = "SHA256", saltLength: Int32 = -1
  ) throws(TestCertificateError) -> [UInt8] {
    let context = EVP_MD_CTX_new()
    defer { EVP_MD_CTX_free(context) }
    var details: OpaquePointer?
    try require(EVP_DigestSignInit_ex(context, &details, digest, nil, nil, handle, nil))
    if algorithm == .ps256 {
      try require(EVP_PKEY_CTX_set_rsa_padding(details, RSA_PKCS1_PSS_PADDING))
      try require(EVP_PKEY_CTX_set_rsa_pss_saltlen(details, saltLength))
    }
    var count = 0
    try require(EVP_DigestSign(context, nil, &count, message, message.count))
    var signature = [UInt8](repeating: 0, count: count)
    try require(EVP_DigestSign(context, &signature, &count, message, message.count))
    signature.removeLast(signature.count - count)
    return algorithm == .es256 ? Self.joined(signature) : signature
  }

  /// The members of a public key in a key set: `n` and `e`, or `x` and `y`.
  package func publicNumbers() throws(TestCertificateError) -> [String: [UInt8]] {
    switch kind {
    case .rsa:
      return ["n": try number(OSSL_PKEY_PARAM_RSA_N, atLeast: 0), "e": try number(OSSL_PKEY_PARAM_RSA_E, atLeast: 0)]
    case .p256:
      return [
        "x": try number(OSSL_PKEY_PARAM_EC_PUB_X, atLeast: 32), "y": try number(OSSL_PKEY_PARAM_EC_PUB_Y, atLeast: 32),
      ]
    case .ed25519: throw TestCertificateError(what: "the numbers of an Ed25519 key, which has none")
    }
  }

  private func number(_ name: String, atLeast count: Int32) throws(TestCertificateError) -> [UInt8] {
    var number: OpaquePointer?
    try require(EVP_PKEY_get_bn_param(handle, name, &number))
    defer { BN_free(number) }
    var bytes = [UInt8](repeating: 0, count: Int(max(count, (BN_num_bits(number) + 7) / 8)))
    BN_bn2binpad(number, &bytes, Int32(bytes.count))
    return bytes
  }

  /// The two numbers of a signature in DER, with 32 bytes each.
  private static func joined(_ signature: [UInt8]) -> [UInt8] {
    var (rest, result): (ArraySlice<UInt8>, [UInt8]) = (signature.dropFirst(2), [])
    for _ in 1...2 {
      let count = Int(rest.dropFirst().first ?? 0)
      let digits = rest.dropFirst(2).prefix(count).drop { $0 == 0 }
      result += [UInt8](repeating: 0, count: 32 - digits.count) + digits
      rest = rest.dropFirst(2 + count)
    }
    return result
  }
}
