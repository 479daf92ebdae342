extension TenantLocation {
  /// What stands there now.
  func read() -> Result<TenantSnapshot, TenantError> {
    switch self {
    case .none: .failure(.missing(path: "", hint: "Name one with --tenant."))
    case .sample: .success(SampleTenant.snapshot)
    case .folder(let path):
      Result { () throws(TenantError) in try FolderTenant(path: path).read() }
    }
  }
}
