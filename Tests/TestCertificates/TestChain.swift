import COpenSSL

/// An authority that a test trusts, one that it signed, and a server's certificate that this one signed.
package struct TestChain: Sendable {
  package let root: TestCertificate
  package let middle: TestCertificate
  package let leaf: TestCertificate
  /// Of all three, in seconds since 1970.
  package let validity: ClosedRange<Int64>

  /// The shape of the server's certificate can be changed before it is signed. Authorities of one organization have the
  /// same names, and other keys in each chain.
  package init(
    host: String = "DNS:mail.contoso.example", around seconds: Int64 = 1_780_000_000, key: TestKey.Kind = .p256,
    organization: String = "Test",
    _ change: (inout TestCertificate.Shape) -> Void = { _ in }
  ) throws {
    validity = seconds - 86_400...seconds + 86_400
    var authority = TestCertificate.Shape(validity: validity)
    authority.isAuthority = true
    root = try TestCertificate("\(organization) Root", authority, key: TestKey(), issuer: nil)
    middle = try TestCertificate("\(organization) Middle", authority, key: TestKey(), issuer: root)
    var shape = TestCertificate.Shape(validity: validity)
    shape.alternativeNames = [host]
    change(&shape)
    leaf = try TestCertificate("Test Server", shape, key: TestKey(key), issuer: middle)
  }

  /// As a server sends it: without the root.
  package var presented: [[UInt8]] { [leaf.der, middle.der] }

  /// What is to be trusted, in PEM.
  package var trustedText: String { root.text }

  /// By which OpenSSL finds it in a folder.
  package var trustedFileName: String {
    let hash = root.der.withUnsafeBufferPointer { der in
      var position = der.baseAddress
      let handle = d2i_X509(nil, &position, der.count)
      defer { X509_free(handle) }
      return String(X509_NAME_hash_ex(X509_get_subject_name(handle), nil, nil, nil), radix: 16)
    }
    return String(repeating: "0", count: 8 - hash.count) + hash + ".0"
  }
}
