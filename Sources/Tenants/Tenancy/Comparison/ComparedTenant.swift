import Policy

/// One of two tenants that are compared.
package struct ComparedTenant {
  package let tenant: TenantSnapshot
  /// The text of a file of the tenant; `nil` if there is none.
  let text: (String) -> [UInt8]?

  /// Reads a tenant as a check-in does. Throws if a part of it cannot be read: nobody knows what applies then.
  package init(_ location: TenantLocation) throws(TenantError) {
    if case .folder(let path) = location {
      try self.init(FolderTenant(path: path).readAvailable(), FolderFiles(path: path))
    } else {
      try self.init(location.read().get(), TextFiles(texts: [:]))
    }
  }

  /// The same for a tenant that is not in a folder of this machine.
  package init(_ files: some TenantFolder) throws(TenantError) {
    try self.init(files.readAvailable(), files)
  }

  private init(_ available: TenantSnapshot, _ files: some TenantFiles) throws(TenantError) {
    tenant = try available.whole()
    text = { file in (try? files.read(file)) ?? nil }
    if let missing = tenant.missingPolicies { throw missing }
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
