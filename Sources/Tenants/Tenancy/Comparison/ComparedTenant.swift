import Policy

/// One of two tenants that are compared.
package struct ComparedTenant {
  package internal(set) var tenant: TenantSnapshot
  /// The text of a file of the tenant; `nil` if there is none, or if the user does not have it.
  let text: (String) -> [UInt8]?
  /// `nil` for a version that says everything.
  let source: PulledSource?

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

  /// A version that a store has kept.
  package init(_ files: TenantFileSet) throws(TenantError) {
    try self.init(files.read(), TextFiles(texts: files.texts))
  }

  /// A tenant that was pulled into a folder, which is to be removed.
  package init(pulledInto folder: String, from source: PulledSource) throws(TenantError) {
    try self.init(FolderTenant(path: folder).readAvailable(), TextFiles(texts: [:]), source)
  }

  private init(
    _ available: TenantSnapshot, _ files: some TenantFiles, _ source: PulledSource? = nil
  ) throws(TenantError) {
    self.source = source
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
