import Model
import Policy
import Support

/// What the policy source has for an account in this app.
struct DeliveryContent: Sendable {
  var policies: [PolicyDocument] = []
  var appConfig = AppConfig.empty
  var certificatePins = CertificatePins.none

  /// Whether there is neither policy nor configuration: such an account is not enrolled.
  var isEmpty: Bool { policies.isEmpty && appConfig.isEmpty }

  /// The texts for the store. A kind without content is left out.
  var texts: [StoredAccount.DocumentKind: [String]] {
    let texts: [StoredAccount.DocumentKind: [String]] = [
      .policy: policies.map(\.encoded), .configuration: [appConfig.encoded],
      .certificatePins: certificatePins.isEmpty ? [] : [certificatePins.encoded],
    ]
    return texts.filter { !$0.value.isEmpty }
  }
}

extension DeliveryContent {
  /// Reads the texts of the store. Leaves out each text that cannot be read, and adds a warning about it.
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

/// What an account has been delivered, in the form that questions read.
struct CompiledDelivery: Sendable {
  /// All that it is made of: of the same the same comes.
  struct Origin: Hashable, Sendable {
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

  /// `content` is what the documents of the origin say.
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
/// A check-in compiles what the policy source sends, and stores its texts. The state that is then read from the store is
/// found here by these texts, so only a change by another process, or the start of a process, is compiled from the store.
final class CompiledDeliveries: Sendable {
  private let known = Lock<[CompiledDelivery.Origin: CompiledDelivery]>([:])

  /// `content` is what the documents of the origin say, if that is known; else they are read.
  func delivery(of origin: CompiledDelivery.Origin, _ content: DeliveryContent?) -> CompiledDelivery {
    if let known = known.withLock({ $0[origin] }) { return known }
    var warnings: [String] = []
    let content = content ?? DeliveryContent(origin.documents, warnings: &warnings)
    let delivery = CompiledDelivery(origin, content, warnings: warnings)
    known.withLock { $0[origin] = delivery }
    return delivery
  }

  /// Forgets all others.
  func keep(_ deliveries: [CompiledDelivery]) {
    let kept = Dictionary(deliveries.map { ($0.origin, $0) }) { first, _ in first }
    known.withLock { $0 = kept }
  }
}
