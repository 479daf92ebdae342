import COpenSSL

/// What failed, and where. Equal if the reasons are equal. Contains no key and no data.
package struct CryptographyError: Error, Sendable {
  package enum Reason: Sendable {
    /// The key, nonce, associated data or tag is wrong, or the ciphertext was changed. It cannot be known which.
    case authenticationFailed
    /// A key, nonce, tag or output has a length that the algorithm does not support.
    case wrongLength
    /// Invalid parameters, or parameters that need more memory than allowed.
    case invalidParameters
    case outOfMemory
    /// The library failed; its reason is in `detail`.
    case library
  }

  package let reason: Reason
  /// The operation, for example `AESGCM.open`.
  package let place: String
  package let detail: String?

  init(_ reason: Reason, in place: StaticString, detail: String? = nil) {
    self.reason = reason
    self.place = "\(place)"
    self.detail = detail
  }
}

extension CryptographyError: Equatable {
  package static func == (left: CryptographyError, right: CryptographyError) -> Bool { left.reason == right.reason }
}

extension CryptographyError: CustomStringConvertible {
  package var description: String { "\(place): \(reason)" + (detail.map { " (\($0))" } ?? "") }
}

/// Throws unless OpenSSL returned 1.
func check(_ status: Int32, _ place: StaticString) throws(CryptographyError) {
  guard status != 1 else { return }
  throw libraryError(place)
}

/// Empties OpenSSL's error queue, so that no error is attributed to a later call. The detail is from its table of fixed
/// texts; other data in the queue is not read.
func libraryError(_ place: StaticString) -> CryptographyError {
  let code = ERR_peek_error()
  ERR_clear_error()
  let isMemory = code & UInt(ERR_REASON_MASK) == UInt(ERR_R_MALLOC_FAILURE)
  let detail = ERR_reason_error_string(code).map { String(cString: $0) }
  return CryptographyError(isMemory ? .outOfMemory : .library, in: place, detail: detail)
}

/// The algorithms, each fetched once, because a fetch costs more than sealing a small buffer; and not before its first
/// use, because the first fetch of a kind goes through all algorithms of that kind.
enum Library {
  private static let isStarted: Bool = {
    // Must be the first call. Reading the system's configuration file takes time, and may load foreign code. At the end
    // of the process, the library would take away locks that other threads still use.
    OPENSSL_init_crypto(UInt64(OPENSSL_INIT_NO_LOAD_CONFIG | OPENSSL_INIT_NO_ATEXIT), nil) == 1
  }()
  private static let cipher = Algorithm { EVP_CIPHER_fetch(nil, "AES-256-GCM", nil) }
  private static let digest = Algorithm { EVP_MD_fetch(nil, "SHA256", nil) }
  private static let mac = Algorithm { EVP_MAC_fetch(nil, "HMAC", nil) }

  /// Must be called before any other use of the library.
  static func start() { _ = isStarted }

  static func aes256GCM() throws(CryptographyError) -> OpaquePointer { try cipher.fetched("AES-256-GCM") }
  static func sha256() throws(CryptographyError) -> OpaquePointer { try digest.fetched("SHA256") }
  static func hmac() throws(CryptographyError) -> OpaquePointer { try mac.fetched("HMAC") }

  private struct Algorithm: @unchecked Sendable {  // never changed; OpenSSL lets threads share fetched algorithms
    private let pointer: OpaquePointer?

    init(_ fetch: () -> OpaquePointer?) {
      Library.start()
      pointer = fetch()
    }

    func fetched(_ place: StaticString) throws(CryptographyError) -> OpaquePointer {
      guard let pointer else { throw libraryError(place) }
      return pointer
    }
  }
}
