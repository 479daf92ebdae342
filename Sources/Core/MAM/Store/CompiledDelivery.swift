import Model
import Policy
import Support

/// What the policy source delivers to an account in this app.
struct DeliveryContent: Sendable {
  var policies: [PolicyDocument] = []
  var appConfig = AppConfig.empty
  var certificatePins = CertificatePins.none

  /// Whether there is neither a policy nor a configuration. An account with empty content is not enrolled.
  var isEmpty: Bool { policies.isEmpty && appConfig.isEmpty }

  /// The texts to store, without kinds that have no content.
  var texts: [StoredAccount.DocumentKind: [String]] {
    let texts: [StoredAccount.DocumentKind: [String]] = [
      .policy: policies.map(\.encoded), .configuration: [appConfig.encoded],
      .certificatePins: certificatePins.isEmpty ? [] : [certificatePins.encoded],
    ]
    return texts.filter { !$0.value.isEmpty }
  }
}

extension DeliveryContent {
  /// Reads stored texts. Leaves out each text that cannot be read, and adds a warning about it.
  init(_ texts: [StoredAccount.DocumentKind: [String]], warnings: inout [String]) {
    for text in texts[.policy] ?? [] {
      do throws(StoredTextError) {
        policies.append(try PolicyDocument(stored: text))
      } catch {
        warnings.append("a stored policy cannot be read: \(error.reason)")
      }
    }
    do throws(StoredTextError) {
      if let text = texts[.configuration]?.first { appConfig = try AppConfig(stored: text) }
    } catch {
      warnings.append("the stored app configuration cannot be read: \(error.reason)")
    }
    do throws(StoredTextError) {
      if let text = texts[.certificatePins]?.first { certificatePins = try CertificatePins(stored: text) }
    } catch {
      warnings.append("the stored certificate pins cannot be read: \(error.reason)")
    }
  }
}

/// What was delivered to an account, in the form that questions read.
struct CompiledDelivery: Sendable {
  /// Everything that a delivery is made from. Equal origins give equal deliveries.
  struct Origin: Hashable, Sendable {
    let documents: [StoredAccount.DocumentKind: [String]]
    let isEnrolled: Bool
    /// The platform for which the documents were chosen; with a test policy, the platform of the device.
    let platform: DevicePlatform
    /// The test policy that replaces the delivered policies; `nil` if there is none.
    let test: PolicyDocument?
  }

  let origin: Origin
  let appConfig: AppConfig
  let certificatePins: CertificatePins
  private(set) var policy: CompiledPolicy?
  let warnings: [String]

  /// The same delivery with another policy, for answers under an assumption.
  func with(_ policy: CompiledPolicy?) -> CompiledDelivery {
    var delivery = self
    delivery.policy = policy
    return delivery
  }

  /// `content` is the content of the origin's documents.
  fileprivate init(_ origin: Origin, _ content: DeliveryContent, warnings: [String]) {
    self.origin = origin
    appConfig = origin.isEnrolled ? content.appConfig : .empty
    certificatePins = origin.isEnrolled ? content.certificatePins : .none
    let own = origin.isEnrolled ? content.policies : []
    policy = CompiledPolicy(merging: origin.test.map { [$0] } ?? own, platform: origin.platform)
    self.warnings = warnings + (policy?.effective.warnings.map(\.description) ?? [])
  }
}

/// The deliveries that a core has compiled.
///
/// A check-in compiles what the policy source sends, and stores its texts. When the state is then read from the store,
/// the compiled delivery is found here by these texts. Only a change by another process and the start of a process
/// compile deliveries from the store.
final class CompiledDeliveries: Sendable {
  private let known = Lock<[CompiledDelivery.Origin: CompiledDelivery]>([:])

  /// `content` is the content of the origin's documents; if it is `nil`, the documents are read.
  func delivery(of origin: CompiledDelivery.Origin, _ content: DeliveryContent?) -> CompiledDelivery {
    if let known = known.withLock({ $0[origin] }) { return known }
    var warnings: [String] = []
    let content = content ?? DeliveryContent(origin.documents, warnings: &warnings)
    let delivery = CompiledDelivery(origin, content, warnings: warnings)
    known.withLock { $0[origin] = delivery }
    return delivery
  }

  /// Forgets all other deliveries. `current` are those of the accounts; looking through them costs as much as there are
  /// accounts, so nothing is forgotten before there are twice as many deliveries.
  func forgetOthers(than current: some Collection<CompiledDelivery>) {
    guard known.withLock({ $0.count }) > 2 * current.count + Self.spare else { return }
    let kept = Dictionary(current.map { ($0.origin, $0) }) { first, _ in first }
    known.withLock { $0 = kept }
  }

  private static let spare = 8
}
