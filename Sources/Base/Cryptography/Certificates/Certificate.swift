import COpenSSL

/// An X.509 certificate.
package final class Certificate: @unchecked Sendable {  // never changed; OpenSSL locks what it computes later
  let handle: OpaquePointer

  /// Takes ownership of one reference.
  init(owning handle: OpaquePointer) { self.handle = handle }

  /// Parses DER, without any bytes after it.
  package convenience init(der: some ByteSource) throws(CryptographyError) {
    Library.start()
    let (handle, rest) = der.withRawBytes { bytes in
      let start = bytes.octets
      var position = start
      let handle = d2i_X509(nil, &position, bytes.count)
      return (handle, start.flatMap { start in position.map { start + bytes.count - $0 } } ?? 0)
    }
    guard let handle else { throw libraryError("Certificate") }
    self.init(owning: handle)
    guard rest == 0 else {
      throw CryptographyError(.invalidParameters, in: "Certificate", detail: "extra bytes after the certificate")
    }
  }

  deinit { X509_free(handle) }

  /// The SHA-256 of the public key info in DER (RFC 7469), as used in pins.
  package func publicKeyDigest() throws(CryptographyError) -> [UInt8] {
    var encoded: UnsafeMutablePointer<UInt8>?
    let count = i2d_X509_PUBKEY(X509_get_X509_PUBKEY(handle), &encoded)
    defer { CRYPTO_free(encoded, #file, #line) }
    guard let encoded, count > 0 else { throw libraryError("Certificate") }
    return try SHA256.digest(Array(UnsafeBufferPointer(start: encoded, count: Int(count))))
  }

  /// Whether OpenSSL supports the key and the signature algorithm of the certificate.
  package var hasKnownAlgorithms: Bool {
    defer { ERR_clear_error() }
    return X509_get0_pubkey(handle) != nil && X509_get_signature_info(handle, nil, nil, nil, nil) == 1
  }

  /// Whether the name and key of `issuer` are those of the certificate's issuer.
  package func isIssued(by issuer: Certificate) -> Bool {
    defer { ERR_clear_error() }
    guard X509_check_issued(issuer.handle, handle) == X509_V_OK else { return false }
    return X509_verify(handle, X509_get0_pubkey(issuer.handle)) == 1
  }
}
