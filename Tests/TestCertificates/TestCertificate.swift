import COpenSSL
import Cryptography
import Glibc

/// A certificate that a test makes: signed by another one, or by itself.
package struct TestCertificate: Sendable {
  /// What is to stand in it.
  package struct Shape: Sendable {
    /// Seconds since 1970.
    package var validity: ClosedRange<Int64>
    package var isAuthority = false
    /// In OpenSSL's form, such as `DNS:a.example` and `IP:::1`.
    package var alternativeNames: [String] = []
    package var purpose = "serverAuth"
    package var digest = "SHA256"

    package init(validity: ClosedRange<Int64>) { self.validity = validity }
  }

  package let name: String
  package let der: [UInt8]
  package let key: TestKey

  /// Signed by `issuer`, nil for itself; under another certificate's name where it pretends to be that one's.
  package init(
    _ name: String, _ shape: Shape, key: TestKey, issuer: TestCertificate?, pretending issuerName: String? = nil
  ) throws(TestCertificateError) {
    self.name = name
    self.key = key
    guard let handle = X509_new() else { throw TestCertificateError(what: "an empty certificate") }
    defer { X509_free(handle) }
    try require(X509_set_version(handle, 2))
    try require(ASN1_INTEGER_set_int64(X509_get_serialNumber(handle), Int64.random(in: 1...(1 << 60))))
    try Self.setName(X509_get_subject_name(handle), name)
    try Self.setName(X509_get_issuer_name(handle), issuerName ?? issuer?.name ?? name)
    ASN1_TIME_set(X509_getm_notBefore(handle), time_t(shape.validity.lowerBound))
    ASN1_TIME_set(X509_getm_notAfter(handle), time_t(shape.validity.upperBound))
    try require(X509_set_pubkey(handle, key.handle))
    try Self.extend(handle, shape)
    let signer = issuer?.key ?? key
    try require(X509_sign(handle, signer.handle, signer.digest(shape.digest)))
    der = try Self.encode(handle)
  }

  private static func setName(_ entry: OpaquePointer?, _ name: String) throws(TestCertificateError) {
    let text = Array(name.utf8)
    try require(X509_NAME_add_entry_by_txt(entry, "CN", MBSTRING_UTF8, text, Int32(text.count), -1, 0))
  }

  private static func extend(_ handle: OpaquePointer, _ shape: Shape) throws(TestCertificateError) {
    var extensions = [(NID_basic_constraints, "critical,CA:\(shape.isAuthority ? "TRUE" : "FALSE")")]
    if shape.isAuthority {
      extensions.append((NID_key_usage, "critical,keyCertSign"))
    } else {
      extensions.append((NID_ext_key_usage, shape.purpose))
    }
    if !shape.alternativeNames.isEmpty {
      extensions.append((NID_subject_alt_name, shape.alternativeNames.joined(separator: ",")))
    }
    for (identifier, value) in extensions {
      let made = X509V3_EXT_conf_nid(nil, nil, identifier, value)
      defer { X509_EXTENSION_free(made) }
      try require(made == nil ? 0 : X509_add_ext(handle, made, -1))
    }
  }

  private static func encode(_ handle: OpaquePointer) throws(TestCertificateError) -> [UInt8] {
    var encoded: UnsafeMutablePointer<UInt8>?
    let count = i2d_X509(handle, &encoded)
    defer { CRYPTO_free(encoded, #file, #line) }
    guard let encoded, count > 0 else { throw TestCertificateError(what: "the text of a certificate") }
    return Array(UnsafeBufferPointer(start: encoded, count: Int(count)))
  }
}

extension TestKey {
  /// Ed25519 has a digest of its own.
  fileprivate func digest(_ name: String) -> OpaquePointer? {
    if case .ed25519 = kind { nil } else { EVP_get_digestbyname(name) }
  }
}

extension TestCertificate {
  /// What a pin for its key says.
  package func pin() throws -> [UInt8] { try Certificate(der: der).publicKeyDigest() }

  /// Another signature than its issuer's.
  package var tampered: [UInt8] { Array(der.dropLast()) + [(der.last ?? 0) ^ 1] }

  /// With `bytes` wherever `others` stood.
  package func replacing(_ others: [UInt8], with bytes: [UInt8]) -> [UInt8] {
    var result: [UInt8] = []
    var rest = der[...]
    while let first = rest.first {
      let isFound = rest.starts(with: others)
      result += isFound ? bytes : [first]
      rest = rest.dropFirst(isFound ? others.count : 1)
    }
    return result
  }
}

/// In DER.
package enum AlgorithmIdentifier {
  package static let ecPublicKey: [UInt8] = [0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x02, 0x01]
  package static let ecdsaWithSHA256: [UInt8] = [0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x04, 0x03, 0x02]
}
