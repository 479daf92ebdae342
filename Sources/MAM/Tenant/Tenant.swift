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
