import COpenSSL
import Glibc

/// The trusted certificate authorities.
package final class TrustStore: @unchecked Sendable {  // OpenSSL locks what its lookups add
  let handle: OpaquePointer

  private init() throws(CryptographyError) {
    Library.start()
    guard let handle = X509_STORE_new() else { throw libraryError("TrustStore") }
    self.handle = handle
  }

  deinit { X509_STORE_free(handle) }

  /// The authorities in the file SSL_CERT_FILE and the folder SSL_CERT_DIR, or OpenSSL's own paths for a variable that
  /// is not set. An unreadable path counts as empty.
  package static func system() throws(CryptographyError) -> TrustStore {
    let store = try TrustStore()
    try check(X509_STORE_set_default_paths(store.handle), "TrustStore")
    ERR_clear_error()
    return store
  }

  /// The paths that `system` reads: a file, and folders.
  package static var systemPaths: [String] {
    let file = path(X509_get_default_cert_file_env(), X509_get_default_cert_file())
    let folders = path(X509_get_default_cert_dir_env(), X509_get_default_cert_dir())
    return [file] + folders.split(separator: ":").map(String.init)
  }

  private static func path(_ variable: UnsafePointer<CChar>, _ usual: UnsafePointer<CChar>) -> String {
    String(cString: getenv(variable).map { UnsafePointer($0) } ?? usual)
  }

  /// The authorities in a PEM file.
  package static func file(_ path: String) throws(CryptographyError) -> TrustStore {
    let store = try TrustStore()
    try check(X509_STORE_load_file(store.handle, path), "TrustStore")
    return store
  }
}
