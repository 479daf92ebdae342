import Model
import Policy

/// What an account has been delivered, in the form that questions read.
struct CompiledDelivery: Sendable {
  /// All that it is made of, so that nothing is compiled twice: of the same the same comes.
  struct Origin: Equatable, Sendable {
    let documents: [StoredAccount.DocumentKind: [String]]
    let isEnrolled: Bool
    /// The platform for which the documents were chosen; with a test policy the device's.
    let platform: DevicePlatform
    /// The test policy that stands in the place of the delivered ones; nil for none.
    let test: PolicyDocument?
  }

  let origin: Origin
  let appConfig: AppConfig
  let certificatePins: CertificatePins
  let policy: CompiledPolicy?
  let warnings: [String]

  init(_ origin: Origin) {
    self.origin = origin
    let delivery = StoredDelivery(origin.documents)
    appConfig = origin.isEnrolled ? delivery.appConfig : .empty
    certificatePins = origin.isEnrolled ? delivery.certificatePins : .none
    let own = origin.isEnrolled ? delivery.policies : []
    policy = CompiledPolicy(merging: origin.test.map { [$0] } ?? own, platform: origin.platform)
    warnings = delivery.warnings + (policy?.effective.warnings.map(\.description) ?? [])
  }
}

/// A delivery as it was stored; what cannot be read is left out and told.
struct StoredDelivery {
  private(set) var policies: [PolicyDocument] = []
  private(set) var appConfig = AppConfig.empty
  private(set) var certificatePins = CertificatePins.none
  private(set) var warnings: [String] = []

  init(_ documents: [StoredAccount.DocumentKind: [String]]) {
    for text in documents[.policy] ?? [] {
      do throws(StoredTextError) {
        policies.append(try PolicyDocument(stored: text))
      } catch {
        warnings.append("a stored policy cannot be read: \(error.reason)")
      }
    }
    do throws(StoredTextError) {
      if let text = documents[.configuration]?.first { appConfig = try AppConfig(stored: text) }
    } catch {
      warnings.append("the stored app configuration cannot be read: \(error.reason)")
    }
    do throws(StoredTextError) {
      if let text = documents[.certificatePins]?.first { certificatePins = try CertificatePins(stored: text) }
    } catch {
      warnings.append("the stored certificate pins cannot be read: \(error.reason)")
    }
  }
}
