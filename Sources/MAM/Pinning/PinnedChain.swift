import Cryptography
import Model
import Policy
import Support

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
