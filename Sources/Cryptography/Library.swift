import COpenSSL

/// The algorithms, fetched once: a fetch costs more than the seal of a small buffer.
struct Library: @unchecked Sendable {  // never changed; OpenSSL lets threads share fetched algorithms
  private static let shared = Library()

  private let cipher: OpaquePointer?
  private let digest: OpaquePointer?
  private let mac: OpaquePointer?

  private init() {
    // First of all calls: the system's configuration file costs time and can load code of others.
    OPENSSL_init_crypto(UInt64(OPENSSL_INIT_NO_LOAD_CONFIG), nil)
    cipher = EVP_CIPHER_fetch(nil, "AES-256-GCM", nil)
    digest = EVP_MD_fetch(nil, "SHA256", nil)
    mac = EVP_MAC_fetch(nil, "HMAC", nil)
  }

  /// Must come before any other use of the library.
  static func start() { _ = shared }

  static func aes256GCM() throws(CryptographyError) -> OpaquePointer { try fetched(shared.cipher, "AES-256-GCM") }
  static func sha256() throws(CryptographyError) -> OpaquePointer { try fetched(shared.digest, "SHA256") }
  static func hmac() throws(CryptographyError) -> OpaquePointer { try fetched(shared.mac, "HMAC") }

  private static func fetched(_ it: OpaquePointer?, _ place: StaticString) throws(CryptographyError) -> OpaquePointer {
    guard let it else { throw libraryError(place) }
    return it
  }
}
