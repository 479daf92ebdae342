import Cryptography
import Model
import Policy

extension Core {
  /// Refuses what a server presents, its own certificate first, unless its host has no pins for that account or all is
  /// as pinned. May block on the files of the trusted authorities.
  ///
  /// What is wrong with the arguments is told before anything else.
  package func validateChain(
    _ certificates: [[UInt8]]?, hostname: String?, for reference: AccountReference?
  ) throws(MAMError) {
    let services = try refresh()
    guard let certificates, !certificates.isEmpty else { throw .noCertificates }
    guard let host = hostname.flatMap(HostName.init) else { throw .noHostName }
    let readable = try Self.read(certificates)
    let pins = state.certificatePins(of: reference)[host]
    guard !pins.isEmpty else { return }
    do throws(MAMError) {
      try PinnedChain(host: host, pins: pins, certificates: readable).check(at: now, trusting: try trustStore())
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
      return try trustedAuthorities.store(at: TrustStore.systemPaths, configuration.openTrustStore)
    } catch {
      throw MAMError(.failedTrustEvaluation, "the trusted authorities cannot be read: \(error)")
    }
  }

  /// Tells the user that a server is not the organization's. Returns when the host has shown that.
  package func showPinningFailed() async {
    let notice = UserNotice(.alert(.pinningFailedTitle), .alert(.pinningFailedMessage))
    _ = await host.showAlert(HostAlert(notice, in: language))
  }
}

extension CoreState {
  /// Those of an enrolled account; without one of that which holds where no identity is set.
  package func certificatePins(of reference: AccountReference?) -> CertificatePins {
    let account = reference.map(account) ?? effectiveAccount
    return account?.certificatePins ?? .none
  }
}
