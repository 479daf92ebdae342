import COpenSSL

extension TestCertificate {
  /// The certificate in PEM.
  package var text: String { PEM.text(der, "CERTIFICATE") }
}

extension TestKey {
  /// The private key in PEM, without a passphrase.
  package var text: String {
    let information = EVP_PKEY2PKCS8(handle)
    defer { PKCS8_PRIV_KEY_INFO_free(information) }
    var encoded: UnsafeMutablePointer<UInt8>?
    let count = i2d_PKCS8_PRIV_KEY_INFO(information, &encoded)
    defer { CRYPTO_free(encoded, #file, #line) }
    guard let encoded, count > 0 else { return "" }
    return PEM.text(Array(UnsafeBufferPointer(start: encoded, count: Int(count))), "PRIVATE KEY")
  }
}

extension TestKey {
  /// The private key in PEM, encrypted.
  package func text(passphrase: String) -> String {
    let sink = BIO_new(BIO_s_mem())
    defer { BIO_free(sink) }
    var bytes = [UInt8](repeating: 0, count: 10_000)
    guard
      PEM_write_bio_PKCS8PrivateKey(
        sink, handle, EVP_aes_256_cbc(), passphrase, Int32(passphrase.utf8.count), nil, nil) == 1
    else { return "" }
    let count = BIO_read(sink, &bytes, Int32(bytes.count))
    return String(decoding: bytes.prefix(Int(max(0, count))), as: UTF8.self)
  }
}

extension TestChain {
  /// What a server sends, in PEM.
  package var presentedText: String { leaf.text + middle.text }
}

enum PEM {
  static func text(_ der: [UInt8], _ label: String) -> String {
    var base64 = [UInt8](repeating: 0, count: der.count * 2)
    let count = Int(EVP_EncodeBlock(&base64, der, Int32(der.count)))
    let lines = stride(from: 0, to: count, by: 64).map {
      String(decoding: base64[$0..<min($0 + 64, count)], as: UTF8.self)
    }
    return (["-----BEGIN \(label)-----"] + lines + ["-----END \(label)-----", ""]).joined(separator: "\n")
  }
}
