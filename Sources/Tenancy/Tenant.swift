/// A source of accounts, policies and configurations.
package protocol Tenant: Sendable {
  /// Reads everything again.
  func read() throws(TenantError) -> TenantSnapshot
}

/// Why a tenant cannot be read.
package enum TenantError: Error, Hashable, Sendable {
  /// There is no tenant.
  case missing(path: String, hint: String)
  /// One file is damaged. Nothing is read then, and the last good policies still apply.
  case unparsable(file: String, reason: String)
}

extension TenantError: CustomStringConvertible {
  package var description: String {
    switch self {
    case .missing("", let hint): "there is no policy source. \(hint)"
    case .missing(let path, let hint): "there is no tenant folder at \(path). \(hint)"
    case .unparsable(let file, let reason): "\(file): \(reason)"
    }
  }
}

/// The place that policies come from.
public enum TenantLocation: Equatable, Sendable {
  /// No place. Enrollment ends with locationServiceFailure.
  case none
  /// The built-in tenant contoso.example.
  case sample
  /// A folder with a tenant.json.
  case folder(String)
}

extension TenantLocation {
  /// Reads the tenant.
  package func read() -> Result<TenantSnapshot, TenantError> {
    switch self {
    case .none: .failure(.missing(path: "", hint: "Name one with --tenant."))
    case .sample: read(SampleTenant())
    case .folder(let path): read(FolderTenant(path: path))
    }
  }

  private func read(_ tenant: some Tenant) -> Result<TenantSnapshot, TenantError> {
    Result { () throws(TenantError) in try tenant.read() }
  }
}
