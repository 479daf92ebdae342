import COpenSSL

/// A certificate of a server on this machine that a program makes for itself, and its P-256 key, both in PEM. It is no
/// authority, so whoever trusts it trusts nothing else.
package struct SelfSignedCertificate: Sendable {
  package let certificate: [UInt8]
  package let privateKey: [UInt8]

  private static let place: StaticString = "SelfSignedCertificate"
  private static let largestPEM = 8192

  /// `hosts` are in OpenSSL's form, such as `DNS:localhost` and `IP:127.0.0.1`; `validity` is in seconds since 1970.
  package init(
    _ name: String, hosts: [String], validity: ClosedRange<Int64>
  ) throws(CryptographyError) {
    let key = try madeKey("EC") { EVP_PKEY_CTX_set_group_name($0, "P-256") }
    defer { EVP_PKEY_free(key) }
    guard let made = X509_new() else { throw libraryError(Self.place) }
    defer { X509_free(made) }
    try check(X509_set_version(made, 2), Self.place)
    let serial = try Random.bytes(8).reduce(0) { $0 << 8 | Int64($1) } & .max | 1
    try check(ASN1_INTEGER_set_int64(X509_get_serialNumber(made), serial), Self.place)
    for entry in [X509_get_subject_name(made), X509_get_issuer_name(made)] {
      let text = Array(name.utf8)
      let status = X509_NAME_add_entry_by_txt(entry, "CN", MBSTRING_UTF8, text, Int32(text.count), -1, 0)
      try check(status, Self.place)
    }
    ASN1_TIME_set(X509_getm_notBefore(made), time_t(validity.lowerBound))
    ASN1_TIME_set(X509_getm_notAfter(made), time_t(validity.upperBound))
    try check(X509_set_pubkey(made, key), Self.place)
    try Self.extend(made, hosts)
    guard X509_sign(made, key, EVP_sha256()) > 0 else { throw libraryError(Self.place) }
    certificate = try Self.text { PEM_write_bio_X509($0, made) }
    privateKey = try Self.text { PEM_write_bio_PrivateKey($0, key, nil, nil, 0, nil, nil) }
  }

  private static func extend(_ made: OpaquePointer, _ hosts: [String]) throws(CryptographyError) {
    var context = X509V3_CTX()
    X509V3_set_ctx(&context, made, made, nil, nil, 0)
    // With a key usage, it would need keyCertSign: TLS libraries look for the issuer, also if that is the certificate itself.
    let extensions: KeyValuePairs = [
      NID_basic_constraints: "critical,CA:FALSE", NID_ext_key_usage: "serverAuth",
      NID_subject_key_identifier: "hash", NID_subject_alt_name: hosts.joined(separator: ","),
    ]
    for (identifier, value) in extensions {
      let one = X509V3_EXT_conf_nid(nil, &context, identifier, value)
      defer { X509_EXTENSION_free(one) }
      try check(one == nil ? 0 : X509_add_ext(made, one, -1), place)
    }
  }

  private static func text(_ write: (OpaquePointer?) -> Int32) throws(CryptographyError) -> [UInt8] {
    let sink = BIO_new(BIO_s_mem())
    defer { BIO_free(sink) }
    try check(write(sink), place)
    var bytes = [UInt8](repeating: 0, count: largestPEM)
    let count = BIO_read(sink, &bytes, Int32(bytes.count))
    guard count > 0 else { throw libraryError(place) }
    return Array(bytes.prefix(Int(count)))
  }
}
