extension TenantFolder {
  private static var policyFolders: [String] { ["policies", "configurations", "filters"] }

  /// Files that look like a part of the tenant, but that no check-in reads: all other files in the folders of policies,
  /// and JSON files elsewhere. Hidden files are left out.
  func unreadFindings(_ tenant: TenantSnapshot) throws(TenantError) -> [TenantFinding] {
    var read: Set<String> = ["tenant.json"]
    for folder in Self.policyFolders { read.formUnion(try list(folder)) }
    read.formUnion(tenant.assignments.map(\.file))
    return names().filter { looksRead($0) && !read.contains($0) }.map { name in
      TenantFinding(
        .fileNotRead, name,
        text:
          "is not read; mambridge reads *.json files directly in policies/, configurations/ and filters/, and assigned files"
      )
    }
  }

  private func looksRead(_ name: String) -> Bool {
    name.hasSuffix(".json") || Self.policyFolders.contains { name.hasPrefix($0 + "/") }
  }
}
