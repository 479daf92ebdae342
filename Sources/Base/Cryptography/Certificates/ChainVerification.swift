import COpenSSL
import Glibc

/// The result of following a server's certificate to a trusted authority with OpenSSL.
package struct ChainVerification: Sendable {
  package struct Fault: Hashable, Sendable {
    /// Whether a signature is not that of its issuer. Otherwise the fault is in time, name, purpose, strength or
    /// authority.
    package let isSignature: Bool
    /// One of OpenSSL's fixed texts.
    package let text: String
  }

  /// All faults, those of the authority first.
  package let faults: [Fault]
  /// From the server's certificate as far as issuers were found; up to the authority if there is no fault.
  package let path: [Certificate]

  /// `leaf` is the server's certificate, `others` are in any order. `host` is a name or an address, without brackets.
  /// The time is in seconds since 1970.
  ///
  /// Only the alternative names are searched for the name or address; a wildcard stands for one whole label. Keys and
  /// digests need a strength of at least 112 bits (RSA 2048, SHA-256).
  package init(
    of leaf: Certificate, others: [Certificate], host: String, at seconds: Int64, trusting store: TrustStore
  ) throws(CryptographyError) {
    guard let context = X509_STORE_CTX_new(), let stack = OPENSSL_sk_new_null() else {
      throw libraryError("ChainVerification")
    }
    defer {
      X509_STORE_CTX_free(context)
      OPENSSL_sk_free(stack)
      ERR_clear_error()
    }
    for other in others { OPENSSL_sk_push(stack, UnsafeRawPointer(other.handle)) }
    try check(X509_STORE_CTX_init(context, store.handle, leaf.handle, stack), "ChainVerification")
    try check(X509_STORE_CTX_set_default(context, "ssl_server"), "ChainVerification")
    try Self.expect(host, at: seconds, in: context)
    (faults, path) = try withExtendedLifetime((others, store)) { () throws(CryptographyError) in
      (try Self.findFaults(context), Self.path(context))
    }
  }

  private static func expect(_ host: String, at seconds: Int64, in context: OpaquePointer) throws(CryptographyError) {
    let parameters = X509_STORE_CTX_get0_param(context)
    X509_VERIFY_PARAM_set_time(parameters, time_t(seconds))
    X509_VERIFY_PARAM_set_auth_level(parameters, 2)
    let flags = X509_CHECK_FLAG_NEVER_CHECK_SUBJECT | X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS
    X509_VERIFY_PARAM_set_hostflags(parameters, UInt32(flags))
    guard X509_VERIFY_PARAM_set1_ip_asc(parameters, host) != 1 else { return }
    try check(X509_VERIFY_PARAM_set1_host(parameters, host, 0), "ChainVerification")
  }

  private static func findFaults(_ context: OpaquePointer) throws(CryptographyError) -> [Fault] {
    let found = FoundFaults()
    X509_STORE_CTX_set_ex_data(context, 0, Unmanaged.passUnretained(found).toOpaque())
    X509_STORE_CTX_set_verify_cb(context, noteFault)
    let status = withExtendedLifetime(found) { X509_verify_cert(context) }
    guard status == 1 || !found.faults.isEmpty else { throw libraryError("ChainVerification") }
    return found.faults
  }

  private static func path(_ context: OpaquePointer) -> [Certificate] {
    let stack = X509_STORE_CTX_get0_chain(context)
    return (0..<max(0, OPENSSL_sk_num(stack))).compactMap { index in
      guard let handle = OPENSSL_sk_value(stack, index).map(OpaquePointer.init) else { return nil }
      X509_up_ref(handle)
      return Certificate(owning: handle)
    }
  }
}

private final class FoundFaults {
  var faults: [ChainVerification.Fault] = []
}

/// Called by OpenSSL for each certificate. Continues after a fault, so that all are found.
private func noteFault(_ isFine: Int32, _ context: OpaquePointer?) -> Int32 {
  guard isFine != 1, let found = X509_STORE_CTX_get_ex_data(context, 0) else { return 1 }
  let code = X509_STORE_CTX_get_error(context)
  let text = X509_verify_cert_error_string(Int(code)).map { String(cString: $0) } ?? "error \(code)"
  Unmanaged<FoundFaults>.fromOpaque(found).takeUnretainedValue().faults.append(
    ChainVerification.Fault(isSignature: code == X509_V_ERR_CERT_SIGNATURE_FAILURE, text: text))
  return 1
}
