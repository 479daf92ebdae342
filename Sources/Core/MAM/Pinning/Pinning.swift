import Cryptography
import Model
import Policy
import Support

/// Checks servers against the keys that the administrator pinned.
package struct Pinning: Sendable {
  let live: LiveState
  let trustedAuthorities: TrustedAuthorities

  /// Checks the certificates of a server, its own certificate first. Throws unless the chain matches the pins, or the
  /// host has no pins for the account. May block on the files of the trusted authorities.
  ///
  /// Errors in the arguments are reported before all others.
  package func validate(
    _ certificates: [[UInt8]]?, hostname: String?, for reference: AccountReference?
  ) throws(MAMError) {
    let services = try live.refresh()
    guard let certificates, !certificates.isEmpty else { throw .noCertificates }
    guard let host = hostname.flatMap(HostName.init) else { throw .noHostName }
    let readable = try Self.read(certificates)
    let pins = live.state.certificatePins(of: reference)[host]
    guard !pins.isEmpty else { return }
    do throws(MAMError) {
      try PinnedChain(host: host, pins: pins, certificates: readable).check(at: live.now, trusting: try trustStore())
    } catch {
      services.log.write(.warning, .certificatePinning, "\(public: error.message)")
      throw error
    }
  }

  private static func read(_ certificates: [[UInt8]]) throws(MAMError) -> [Certificate] {
    var readable: [Certificate] = []
    for (index, der) in certificates.enumerated() {
      guard let certificate = try? Certificate(der: der) else { throw .unreadableCertificate(index) }
      readable.append(certificate)
    }
    return readable
  }

  private func trustStore() throws(MAMError) -> TrustStore {
    do throws(CryptographyError) {
      return try trustedAuthorities.store(at: TrustStore.systemPaths, live.configuration.openTrustStore)
    } catch {
      throw MAMError(.failedTrustEvaluation, "the trusted authorities cannot be read: \(error)")
    }
  }
}

extension CoreState {
  /// The pins of an enrolled account; defaults to the effective account.
  package func certificatePins(of reference: AccountReference?) -> CertificatePins {
    let account = reference.map(account) ?? effectiveAccount
    return account?.certificatePins ?? .none
  }
}

/// The certificates that a server presents, to be checked against the pins of its host.
struct PinnedChain {
  let host: HostName
  let pins: Set<[UInt8]>
  /// The server's own certificate first; never empty.
  let certificates: [Certificate]

  /// Throws the first error of these: an unknown algorithm; no valid path to a trusted authority (time, host name,
  /// purpose, strength); a wrong signature or order; no pinned key.
  ///
  /// The pins are compared with the keys on the path to the authority, so a pin may also match a certificate that the
  /// server does not send.
  func check(at now: Timestamp, trusting store: TrustStore) throws(MAMError) {
    guard certificates.allSatisfy(\.hasKnownAlgorithms) else { throw .unknownAlgorithm(host) }
    let verification = try verify(at: now, trusting: store)
    if let fault = verification.faults.first(where: { !$0.isSignature }) { throw .untrusted(host, fault.text) }
    guard verification.faults.isEmpty else { throw .malformedChain(host, "a signature is not from its issuer") }
    guard isInOrder else { throw .malformedChain(host, "a certificate is not issued by the next one") }
    let keys = verification.path.map { try? $0.publicKeyDigest() }
    guard keys.contains(where: { $0.map(pins.contains) ?? false }) else { throw .noPinMatches(host) }
  }

  private func verify(at now: Timestamp, trusting store: TrustStore) throws(MAMError) -> ChainVerification {
    do throws(CryptographyError) {
      return try ChainVerification(
        of: certificates[0], others: Array(certificates.dropFirst()), host: host.text,
        at: now.milliseconds / 1000, trusting: store)
    } catch {
      throw .untrusted(host, error.description)
    }
  }

  /// The chain ends with the authority, or with a certificate that the authority issued.
  private var isInOrder: Bool { zip(certificates, certificates.dropFirst()).allSatisfy { $0.isIssued(by: $1) } }
}

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
