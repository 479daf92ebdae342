extension TenantFolder {
  private static var policyFolders: [String] { ["policies", "configurations", "filters"] }

  /// Files that look like a part of the tenant, but that no check-in reads: all other files in the folders of policies,
  /// and JSON files elsewhere; and tests where `tenant test` does not look for them. Hidden files are left out.
  func unreadFindings(_ tenant: TenantSnapshot) throws(TenantError) -> [TenantFinding] {
    var read: Set<String> = ["tenant.json"]
    for folder in Self.policyFolders { read.formUnion(try list(folder)) }
    read.formUnion(tenant.assignments.map(\.file))
    return names().filter { looksRead($0) && !read.contains($0) }.map { name in
      TenantFinding(.fileNotRead, name, text: isTest(name) ? Self.notRun : Self.notRead)
    }
  }

  private static var notRead: String {
    "is not read; mambridge reads *.json files directly in policies/, configurations/ and filters/, and assigned files"
  }

  private static var notRun: String {
    "is not run; mambridge tenant test runs *.mamtest files directly in the tenant's folder and in tests/"
  }

  private func looksRead(_ name: String) -> Bool {
    name.hasSuffix(".json") || isTest(name) && !isRun(name)
      || Self.policyFolders.contains { name.hasPrefix($0 + "/") }
  }

  private func isTest(_ name: String) -> Bool { name.hasSuffix(".mamtest") }

  private func isRun(_ test: String) -> Bool {
    let folders = test.split(separator: "/").dropLast()
    return folders.isEmpty || Array(folders) == ["tests"]
  }
}
