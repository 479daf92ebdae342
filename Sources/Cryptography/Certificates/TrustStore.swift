import COpenSSL

/// The certificate authorities that are trusted.
package final class TrustStore: @unchecked Sendable {  // OpenSSL locks what its look-ups add
  let handle: OpaquePointer

  private init() throws(CryptographyError) {
    Library.start()
    guard let handle = X509_STORE_new() else { throw libraryError("TrustStore") }
    self.handle = handle
  }

  deinit { X509_STORE_free(handle) }

  /// Those of the file SSL_CERT_FILE and the folder SSL_CERT_DIR, for each that is not set OpenSSL's own. What cannot be
  /// read counts as empty.
  package static func system() throws(CryptographyError) -> TrustStore {
    let store = try TrustStore()
    try check(X509_STORE_set_default_paths(store.handle), "TrustStore")
    ERR_clear_error()
    return store
  }

  /// Those in a file, in PEM.
  package static func file(_ path: String) throws(CryptographyError) -> TrustStore {
    let store = try TrustStore()
    try check(X509_STORE_load_file(store.handle, path), "TrustStore")
    return store
  }
}
