import Cryptography
import Model
import Policy

/// Checks servers against the keys that the administrator pinned.
package struct Pinning: Sendable {
  let core: Core

  /// Checks the certificates of a server, its own certificate first. Throws unless the chain matches the pins, or the
  /// host has no pins for the account. May block on the files of the trusted authorities.
  ///
  /// Errors in the arguments are reported before all others.
  package func validate(
    _ certificates: [[UInt8]]?, hostname: String?, for reference: AccountReference?
  ) throws(MAMError) {
    let services = try core.refresh()
    guard let certificates, !certificates.isEmpty else { throw .noCertificates }
    guard let host = hostname.flatMap(HostName.init) else { throw .noHostName }
    let readable = try Self.read(certificates)
    let pins = core.state.certificatePins(of: reference)[host]
    guard !pins.isEmpty else { return }
    do throws(MAMError) {
      try PinnedChain(host: host, pins: pins, certificates: readable).check(at: core.now, trusting: try trustStore())
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
      return try core.trustedAuthorities.store(at: TrustStore.systemPaths, core.configuration.openTrustStore)
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
