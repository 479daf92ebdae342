import Model
import Policy

extension MAMError {
  package static let noChallenge = MAMError(
    .invalidChallenge, "the challenge is null", hint: "Pass the challenge as {host, certificates}")

  static let noCertificates = MAMError(
    .invalidCertificateChain, "there are no certificates",
    hint: "Pass the certificates that the server sent, its own certificate first")

  static let noHostName = MAMError(
    .nilHost, "the host is null, empty, or neither a name nor an address",
    hint: "Pass the host of the address that was opened, without scheme and port")

  static func unreadableCertificate(_ index: Int) -> MAMError {
    MAMError(
      .errorAccessingCert, "certificate \(index) cannot be read",
      hint: "Pass each certificate as X.509 in DER, encoded in base64, with nothing after it")
  }

  static func unknownAlgorithm(_ host: HostName) -> MAMError {
    MAMError(
      .algNotSupported, "a certificate for \(host.text) uses an unknown algorithm for its key or signature",
      hint: "Use a certificate with RSA, ECDSA or Ed25519 on the server")
  }

  static func untrusted(_ host: HostName, _ reason: String) -> MAMError {
    MAMError(
      .failedTrustEvaluation, "the certificate for \(host.text) is not trusted: \(reason)",
      hint: "mambridge trusts the authorities of the system, or those in SSL_CERT_FILE and SSL_CERT_DIR")
  }

  static func malformedChain(_ host: HostName, _ reason: String) -> MAMError {
    MAMError(
      .failedFormationEvaluation, "the chain for \(host.text) is malformed: \(reason)",
      hint: "Configure the server to send each certificate before the certificate of its issuer")
  }

  static func noPinMatches(_ host: HostName) -> MAMError {
    MAMError(
      .matchNotFound, "no key of the chain for \(host.text) is pinned",
      hint: "Somebody may intercept the connection. Administrators change pins with certificatePins in tenant.json")
  }
}
