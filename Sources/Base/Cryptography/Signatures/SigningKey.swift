import COpenSSL

/// A private RSA key that signs, for example the assertion that a program proves its identity with.
package final class SigningKey: @unchecked Sendable {  // never changed; OpenSSL locks what it computes later
  /// The algorithms of RFC 7518 for RSA keys, with SHA-256.
  package enum Algorithm: String, Sendable {
    /// RSASSA-PKCS1-v1_5.
    case rs256 = "RS256"
    /// RSASSA-PSS with a salt of 32 bytes.
    case ps256 = "PS256"
  }

  /// Fewer bits than RFC 7518 allows.
  private static let smallestKey: Int32 = 2048

  private let handle: OpaquePointer

  private init(owning handle: OpaquePointer) { self.handle = handle }

  /// Makes a new key of 2048 bits.
  package static func made() throws(CryptographyError) -> SigningKey {
    SigningKey(
      owning: try madeKey("RSA") { EVP_PKEY_CTX_set_rsa_keygen_bits($0, smallestKey) })
  }

  /// Reads the first private key of a text in PEM. Throws if it is encrypted, not RSA, or shorter than 2048 bits.
  package convenience init(pem: some ByteSource) throws(CryptographyError) {
    Library.start()
    let handle = pem.withRawBytes { bytes -> OpaquePointer? in
      let source = BIO_new_mem_buf(bytes.baseAddress, Int32(clamping: bytes.count))
      defer { BIO_free(source) }
      return PEM_read_bio_PrivateKey(source, nil, noPassphrase, nil)
    }
    guard let handle else { throw libraryError("SigningKey") }
    self.init(owning: handle)
    guard EVP_PKEY_is_a(handle, "RSA") == 1 else {
      throw CryptographyError(.invalidParameters, in: "SigningKey", detail: "the key is not an RSA key")
    }
    guard EVP_PKEY_get_bits(handle) >= Self.smallestKey else {
      throw CryptographyError(.wrongLength, in: "SigningKey", detail: "the key has fewer than 2048 bits")
    }
  }

  deinit { EVP_PKEY_free(handle) }

  package func sign(_ message: some ByteSource, _ algorithm: Algorithm) throws(CryptographyError) -> [UInt8] {
    guard let context = EVP_MD_CTX_new() else { throw CryptographyError(.outOfMemory, in: "SigningKey.sign") }
    defer { EVP_MD_CTX_free(context) }
    var options: OpaquePointer?
    try check(EVP_DigestSignInit_ex(context, &options, "SHA256", nil, nil, handle, nil), "SigningKey.sign")
    if algorithm == .ps256 {
      try check(EVP_PKEY_CTX_set_rsa_padding(options, RSA_PKCS1_PSS_PADDING), "SigningKey.sign")
      try check(EVP_PKEY_CTX_set_rsa_pss_saltlen(options, Int32(RSA_PSS_SALTLEN_DIGEST)), "SigningKey.sign")
    }
    return try message.withRawBytes { message throws(CryptographyError) in
      var count = Int(EVP_PKEY_get_size(handle))
      var signature = [UInt8](repeating: 0, count: count)
      try check(EVP_DigestSign(context, &signature, &count, message.octets, message.count), "SigningKey.sign")
      return Array(signature.prefix(count))
    }
  }

  /// The modulus and the exponent of the public key, unsigned, the most significant byte first.
  package func publicNumbers() throws(CryptographyError) -> (modulus: [UInt8], exponent: [UInt8]) {
    (try number(OSSL_PKEY_PARAM_RSA_N), try number(OSSL_PKEY_PARAM_RSA_E))
  }

  private func number(_ name: String) throws(CryptographyError) -> [UInt8] {
    var number: OpaquePointer?
    try check(EVP_PKEY_get_bn_param(handle, name, &number), "SigningKey.publicNumbers")
    defer { BN_free(number) }
    var bytes = [UInt8](repeating: 0, count: Int(BN_num_bits(number) + 7) / 8)
    BN_bn2bin(number, &bytes)
    return bytes
  }

  /// Whether the certificate is for this key.
  package func belongs(to certificate: Certificate) -> Bool {
    defer { ERR_clear_error() }
    return X509_check_private_key(certificate.handle, handle) == 1
  }
}

/// Makes a key of an algorithm, whose parameters `set` chooses; it returns 1.
func madeKey(
  _ algorithm: String, _ set: (OpaquePointer?) -> Int32
) throws(CryptographyError) -> OpaquePointer {
  Library.start()
  let context = EVP_PKEY_CTX_new_from_name(nil, algorithm, nil)
  defer { EVP_PKEY_CTX_free(context) }
  try check(EVP_PKEY_keygen_init(context), "madeKey")
  try check(set(context), "madeKey")
  var handle: OpaquePointer?
  try check(EVP_PKEY_generate(context, &handle), "madeKey")
  guard let handle else { throw libraryError("madeKey") }
  return handle
}

extension Certificate {
  /// Reads the first certificate of a text in PEM.
  package convenience init(pem: some ByteSource) throws(CryptographyError) {
    Library.start()
    let handle = pem.withRawBytes { bytes -> OpaquePointer? in
      let source = BIO_new_mem_buf(bytes.baseAddress, Int32(clamping: bytes.count))
      defer { BIO_free(source) }
      return PEM_read_bio_X509(source, nil, noPassphrase, nil)
    }
    guard let handle else { throw libraryError("Certificate") }
    self.init(owning: handle)
  }

  /// The SHA-256 of the whole certificate in DER, as `x5t#S256` of RFC 7515 names it.
  package func thumbprint() throws(CryptographyError) -> [UInt8] {
    var encoded: UnsafeMutablePointer<UInt8>?
    let count = i2d_X509(handle, &encoded)
    defer { CRYPTO_free(encoded, #file, #line) }
    guard let encoded, count > 0 else { throw libraryError("Certificate") }
    return try SHA256.digest(Array(UnsafeBufferPointer(start: encoded, count: Int(count))))
  }
}

/// Refuses an encrypted key. Without a function, OpenSSL would ask at the terminal.
private func noPassphrase(
  _ buffer: UnsafeMutablePointer<CChar>?, _ size: Int32, _ isForWriting: Int32, _ user: UnsafeMutableRawPointer?
) -> Int32 { -1 }
