import Policy

/// One of two tenants that are compared.
package struct TenantVersion: Sendable {
  package let tenant: TenantSnapshot
  /// The text of a file of the tenant; `nil` if there is none.
  let text: @Sendable (String) -> [UInt8]?

  /// The whole of a tenant. `text` returns a file by its path relative to the tenant's folder.
  package init(_ tenant: TenantSnapshot, text: @escaping @Sendable (String) -> [UInt8]?) {
    (self.tenant, self.text) = (tenant, text)
  }

  /// Reads a tenant as a check-in does. Throws if a part of it cannot be read: nobody knows what applies then.
  package init(_ location: TenantLocation) throws(TenantError) {
    guard case .folder(let path) = location else {
      self.init(try location.read().get()) { _ in nil }
      return
    }
    let tenant = try FolderTenant(path: path).read()
    if let missing = tenant.missingPolicies { throw missing }
    self.init(tenant) { file in (try? FolderFiles(path: path).read(file)) ?? nil }
  }
}

/// Why two tenants cannot be compared.
package enum ComparisonFault: Error, Hashable, Sendable {
  case otherTenant(old: String, new: String)
  case unknownUser(String)

  package var description: String {
    switch self {
    case .otherTenant(let old, let new):
      "the tenant ids differ: \(old.isEmpty ? "none" : old) and \(new.isEmpty ? "none" : new); "
        + "compare two versions of one tenant"
    case .unknownUser(let name): "neither version lists the user \(name); leave out --user to compare all users"
    }
  }
}
