extension TenantLocation {
  /// What stands there now.
  func read() -> Result<TenantSnapshot, TenantError> {
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
