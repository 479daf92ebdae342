import Model
import Policy

extension MAMError {
  package static let noChallenge = MAMError(
    .invalidChallenge, "the challenge is null", hint: "Give it as {host, certificates}")

  static let noCertificates = MAMError(
    .invalidCertificateChain, "there are no certificates",
    hint: "Give those that the server has sent, its own one first")

  static let noHostName = MAMError(
    .nilHost, "the host is null, empty, or neither a name nor an address",
    hint: "Give the host of the address that was opened, without scheme and port")

  static func unreadableCertificate(_ index: Int) -> MAMError {
    MAMError(
      .errorAccessingCert, "certificate \(index) cannot be read",
      hint: "Each one is X.509 in DER, in base64, with nothing behind it")
  }

  static func unknownAlgorithm(_ host: HostName) -> MAMError {
    MAMError(
      .algNotSupported, "a certificate for \(host.text) has a key or a signature of an unknown algorithm",
      hint: "Use RSA, ECDSA or Ed25519 for the server")
  }

  static func untrusted(_ host: HostName, _ reason: String) -> MAMError {
    MAMError(
      .failedTrustEvaluation, "the certificate for \(host.text) is not trusted: \(reason)",
      hint: "Trusted authorities are those of the system, or of SSL_CERT_FILE and SSL_CERT_DIR")
  }

  static func malformedChain(_ host: HostName, _ reason: String) -> MAMError {
    MAMError(
      .failedFormationEvaluation, "the chain for \(host.text) is malformed: \(reason)",
      hint: "A server sends its own certificate first, and behind each one that of its issuer")
  }

  static func noPinMatches(_ host: HostName) -> MAMError {
    MAMError(
      .matchNotFound, "no key of the chain for \(host.text) is pinned",
      hint: "Somebody may read the connection; an administrator changes pins with certificatePins in tenant.json")
  }
}
