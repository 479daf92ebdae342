import Model
import SourceProtocol
import Tenancy

/// A folder, the sample tenant, or no source at all.
struct LocalSource: CheckInSource {
  let location: TenantLocation

  var capabilities: SourceCapabilities {
    SourceCapabilities(
      kind: location.kind, path: location.path, canBeRead: true, usesRegistrations: false, checksTokens: false)
  }

  func readTenant() -> Result<TenantSnapshot, TenantError>? { location.readAvailable() }

  /// One reading serves all requests.
  func answers(to requests: [SourceRequest], until deadline: ContinuousClock.Instant?) async -> SourceAnswers {
    SourceAnswers(tenant: location.readAvailable())
  }

  func authentication() async -> TenantAuthentication? { knownAuthentication }

  var knownAuthentication: TenantAuthentication? { (try? location.readAvailable().get())?.authentication }

  func deliver(_ report: SourceReport) async -> Bool { true }

  func watch(_ registrations: [SourceRegistration]) {}

  func connect(_ listener: any SourceListener) {}

  func end() {}
}

extension TenantLocation {
  fileprivate var kind: PolicySourceKind {
    switch self {
    case .none: .none
    case .sample: .sample
    case .folder: .folder
    }
  }

  fileprivate var path: String? {
    if case .folder(let path) = self { path } else { nil }
  }
}
