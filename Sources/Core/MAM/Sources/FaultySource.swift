import Model
import SourceProtocol
import Support
import Tenancy

/// A source that can be read, with planted faults. While there is one, it is taken for a source outside of this process,
/// so a fault does what it would do to a service. Never waits: a late answer is late at once.
package struct FaultySource: CheckInSource {
  private let sound: LocalSource
  private let faults: PlantedFaults
  private let clock: any Clock

  package init(_ location: TenantLocation, _ faults: PlantedFaults, _ clock: any Clock) {
    sound = LocalSource(location: location)
    (self.faults, self.clock) = (faults, clock)
  }

  package var capabilities: SourceCapabilities {
    var capabilities = sound.capabilities
    capabilities.canBeRead = faults.isEmpty
    capabilities.answersOnce = faults.areCounted
    capabilities.isOfSandbox = true
    capabilities.wantsTokens = faults.kind(at: .token) == .needed
    return capabilities
  }

  package func readTenant() -> Result<TenantSnapshot, TenantError>? { faults.isEmpty ? sound.readTenant() : nil }

  package func answers(
    to requests: [SourceRequest], until deadline: ContinuousClock.Instant?
  ) async -> SourceAnswers {
    guard let fault = faults.take(at: clock.now).flatMap(Self.fault) else {
      return await sound.answers(to: requests, until: deadline)
    }
    return SourceAnswers(fault: fault)
  }

  /// `nil` for a fault that does not keep the source from answering: a short delay, and a token that the core asks for.
  private static func fault(_ planted: PlantedFaults.Fault) -> SourceFault? {
    switch planted.kind {
    case .unreachable: SourceFault(.unreachable, "The policy source cannot be reached: Connection refused.")
    case .slow:
      planted.delay.map { $0 >= SourceCapabilities.patience } ?? true
        ? SourceFault(
          .late,
          "The policy source did not answer within \(SourceCapabilities.patience.components.seconds) seconds.") : nil
    case .tooManyRequests:
      SourceFault(
        .unreachable, "The policy source has too many requests now (status 429).",
        retryAfter: planted.delay ?? .seconds(30))
    case .serviceUnavailable:
      SourceFault(
        .unreachable,
        "The policy source cannot answer now (status 503). Ask its administrator if this lasts.",
        retryAfter: planted.delay)
    case .cut:
      SourceFault(.unreachable, "The connection to the policy source ended in the middle of an answer.")
    case .malformed:
      .unreadableAnswer(.unparsable(file: "the answer", reason: "is not JSON"))
    case .otherUser: SourceFault(.broken, SourceText.otherUser)
    case .needed, .nextLinkLoop, .claimsChallenge, .disabled, .mfaRequired, .consentRequired: nil
    case .expired: SourceFault(.signInNeeded, "The policy source refused the token of the user: it has expired.")
    case .refused: SourceFault(.signInNeeded, "The policy source refused the token of the user. Sign in again.")
    }
  }

  package func authentication() async -> TenantAuthentication? { knownAuthentication }

  /// A source that cannot be reached says nothing about tokens.
  package var knownAuthentication: TenantAuthentication? {
    guard faults.kind(at: .source) == nil else { return nil }
    let own = sound.knownAuthentication
    return faults.kind(at: .token) == nil ? own : own ?? Self.authentication
  }

  /// What a tenant without a member `authentication` asks for while a token fault is planted.
  private static let authentication = TenantAuthentication(
    authority: "https://login.microsoftonline.com/common", resource: TenantAuthentication.usualResource,
    scopes: [TenantAuthentication.usualResource + "/.default"])

  package func deliver(_ report: SourceReport) async -> Bool { await sound.deliver(report) }

  package func watch(_ registrations: [SourceRegistration]) {}

  package func connect(_ listener: any SourceListener) {}

  package func end() {}
}
