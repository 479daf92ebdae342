/// Where accounts, policies and configuration come from.
package protocol Tenant: Sendable {
  /// All of it, read anew.
  func read() throws(TenantError) -> TenantSnapshot
}

/// Why a tenant could not be read as a whole.
package enum TenantError: Error, Hashable, Sendable {
  /// There is none.
  case missing(path: String, hint: String)
  /// One file is damaged, which stops everything: what was good before stays in force.
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

/// Where policies come from.
public enum TenantLocation: Equatable, Sendable {
  /// Nowhere: enrolling ends with locationServiceFailure.
  case none
  /// The built-in tenant contoso.example.
  case sample
  /// A folder with a tenant.json.
  case folder(String)
}

extension TenantLocation {
  /// What stands there now.
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
