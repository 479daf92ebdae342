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
