import COpenSSL

/// The algorithms of signatures (RFC 7518, section 3). Each uses SHA-256; the names are those of the RFC.
package enum SignatureAlgorithm: String, CaseIterable, Sendable {
  /// RSASSA-PKCS1-v1_5
  case rs256 = "RS256"
  /// RSASSA-PSS with MGF1 over SHA-256 and a salt of 32 bytes
  case ps256 = "PS256"
  /// ECDSA on P-256
  case es256 = "ES256"

  package var kind: SignatureKey.Kind { self == .es256 ? .p256 : .rsa }
}

/// A public key that verifies signatures. Any number of threads may use it at once.
package final class SignatureKey: @unchecked Sendable {  // never changed; OpenSSL lets threads share a key
  package enum Kind: Sendable { case rsa, p256 }

  /// Of an RSA modulus. A shorter key is too weak, and a longer key takes too long to verify.
  package static let modulusBits = 2048...8192

  private static let exponentBytes = 8
  private static let coordinateBytes = 32

  package let kind: Kind
  private let handle: OpaquePointer
  private let numbers: [[UInt8]]

  private init(_ kind: Kind, _ numbers: [[UInt8]], owning handle: OpaquePointer) {
    (self.kind, self.numbers, self.handle) = (kind, numbers, handle)
  }

  deinit { EVP_PKEY_free(handle) }

  /// Both numbers are unsigned, the most significant byte first. Throws `invalidParameters` for a modulus of fewer than
  /// 2048 or more than 8192 bits, and for numbers that are no RSA key.
  package static func rsa(modulus: [UInt8], exponent: [UInt8]) throws(CryptographyError) -> SignatureKey {
    let (modulus, exponent) = (Array(modulus.drop { $0 == 0 }), Array(exponent.drop { $0 == 0 }))
    let bits = modulus.count * 8 - (modulus.first?.leadingZeroBitCount ?? 0)
    guard modulusBits.contains(bits), let last = modulus.last, !last.isMultiple(of: 2) else {
      throw invalid("the modulus is even, or does not have \(modulusBits.lowerBound) to \(modulusBits.upperBound) bits")
    }
    guard exponent.count <= exponentBytes, let last = exponent.last, !last.isMultiple(of: 2), exponent != [1] else {
      throw invalid("the exponent is even, 1, or longer than \(exponentBytes) bytes")
    }
    let handle = try make(
      "RSA",
      KeyParameter(OSSL_PKEY_PARAM_RSA_N, inNativeOrder(modulus)) { OSSL_PARAM_construct_BN($0, $1, $2) },
      KeyParameter(OSSL_PKEY_PARAM_RSA_E, inNativeOrder(exponent)) { OSSL_PARAM_construct_BN($0, $1, $2) })
    return SignatureKey(.rsa, [modulus, exponent], owning: handle)
  }

  /// Both coordinates have 32 bytes, the most significant byte first. Throws `invalidParameters` for a point that is not
  /// on the curve P-256.
  package static func p256(x: [UInt8], y: [UInt8]) throws(CryptographyError) -> SignatureKey {
    guard x.count == coordinateBytes, y.count == coordinateBytes else {
      throw invalid("a coordinate does not have \(coordinateBytes) bytes")
    }
    let handle = try make(
      "EC",
      // With the NUL that ends a text in C.
      KeyParameter(OSSL_PKEY_PARAM_GROUP_NAME, Array("P-256".utf8) + [0]) { name, content, count in
        content.withMemoryRebound(to: CChar.self, capacity: count) { OSSL_PARAM_construct_utf8_string(name, $0, 0) }
      },
      // 4 means that both coordinates follow.
      KeyParameter(OSSL_PKEY_PARAM_PUB_KEY, [4] + x + y) { OSSL_PARAM_construct_octet_string($0, $1, $2) })
    return SignatureKey(.p256, [x, y], owning: handle)
  }

  /// Throws `authenticationFailed` if the signature is not that of the message by this key, and `invalidParameters` if
  /// the algorithm is for another kind of key. A signature of ES256 has 64 bytes, r and then s.
  package func verify(
    _ signature: some ByteSource, of message: some ByteSource, by algorithm: SignatureAlgorithm
  ) throws(CryptographyError) {
    guard algorithm.kind == kind else { throw Self.invalid("the key is for another algorithm") }
    guard let signature = algorithm == .es256 ? Self.encoded(signature) : signature.withRawBytes({ Array($0) }) else {
      throw CryptographyError(.authenticationFailed, in: "SignatureKey.verify")
    }
    guard let context = EVP_MD_CTX_new() else { throw CryptographyError(.outOfMemory, in: "SignatureKey.verify") }
    defer { EVP_MD_CTX_free(context) }
    var details: OpaquePointer?
    let status = EVP_DigestVerifyInit_ex(context, &details, "SHA256", nil, nil, handle, nil)
    try check(status, "SignatureKey.verify")
    if algorithm == .ps256 {
      try check(EVP_PKEY_CTX_set_rsa_padding(details, RSA_PKCS1_PSS_PADDING), "SignatureKey.verify")
      try check(EVP_PKEY_CTX_set_rsa_pss_saltlen(details, Int32(RSA_PSS_SALTLEN_DIGEST)), "SignatureKey.verify")
    }
    let isRight = message.withRawBytes { message in
      EVP_DigestVerify(context, signature, signature.count, message.octets, message.count) == 1
    }
    guard isRight else {
      ERR_clear_error()
      throw CryptographyError(.authenticationFailed, in: "SignatureKey.verify")
    }
  }
}

/// Equal keys verify the same signatures.
extension SignatureKey: Equatable {
  package static func == (left: SignatureKey, right: SignatureKey) -> Bool {
    left.kind == right.kind && left.numbers == right.numbers
  }
}

extension SignatureKey {
  fileprivate static func invalid(_ detail: String) -> CryptographyError {
    CryptographyError(.invalidParameters, in: "SignatureKey", detail: detail)
  }

  /// OpenSSL takes numbers in the order of the machine.
  private static func inNativeOrder(_ number: [UInt8]) -> [UInt8] {
    1.littleEndian == 1 ? number.reversed() : number
  }

  private static func make(
    _ algorithm: String, _ first: KeyParameter, _ second: KeyParameter
  ) throws(CryptographyError) -> OpaquePointer {
    Library.start()
    guard let context = EVP_PKEY_CTX_new_from_name(nil, algorithm, nil) else { throw libraryError("SignatureKey") }
    defer { EVP_PKEY_CTX_free(context) }
    try check(EVP_PKEY_fromdata_init(context), "SignatureKey")
    var handle: OpaquePointer?
    let status = first.withParameter { first in
      second.withParameter { second in
        var parameters = [first, second, OSSL_PARAM_construct_end()]
        return EVP_PKEY_fromdata(context, &handle, copenssl_public_key(), &parameters)
      }
    }
    guard status == 1, let handle else {
      EVP_PKEY_free(handle)
      throw invalid(libraryError("SignatureKey").detail ?? "OpenSSL refuses the key")
    }
    return handle
  }

  /// The DER form of a signature of 64 bytes; `nil` for another length.
  private static func encoded(_ signature: some ByteSource) -> [UInt8]? {
    let signature = signature.withRawBytes { Array($0) }
    guard signature.count == 2 * coordinateBytes else { return nil }
    let integers = integer(signature.prefix(coordinateBytes)) + integer(signature.suffix(coordinateBytes))
    return [0x30, UInt8(integers.count)] + integers
  }

  private static func integer(_ bytes: ArraySlice<UInt8>) -> [UInt8] {
    let digits = bytes.drop { $0 == 0 }
    let isPositive = digits.first.map { $0 < 0x80 } ?? false
    let content = isPositive ? Array(digits) : [0] + digits
    return [0x02, UInt8(content.count)] + content
  }
}

/// A named part of a key, as OpenSSL takes it.
private struct KeyParameter {
  typealias Construct = (UnsafePointer<CChar>, UnsafeMutablePointer<UInt8>, Int) -> OSSL_PARAM

  private let name: String
  private let content: [UInt8]
  private let construct: Construct

  init(_ name: String, _ content: [UInt8], _ construct: @escaping Construct) {
    (self.name, self.content, self.construct) = (name, content, construct)
  }

  /// The parameter points to the name and the content, so it must not escape `body`.
  func withParameter(_ body: (OSSL_PARAM) -> Int32) -> Int32 {
    var content = content
    return name.withCString { name in
      content.withUnsafeMutableBufferPointer { content in
        content.baseAddress.map { body(construct(name, $0, content.count)) } ?? 0
      }
    }
  }
}
