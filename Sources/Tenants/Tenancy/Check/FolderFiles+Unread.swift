import Glibc

extension FolderFiles {
  private static let policyFolders = ["policies", "configurations", "filters"]
  private static let deepest = 8

  /// Files that look like a part of the tenant, but that no check-in reads: all other files in the folders of policies,
  /// and JSON files elsewhere. Hidden files are left out.
  func unreadFindings(_ tenant: TenantSnapshot) throws(TenantError) -> [TenantFinding] {
    var read: Set<String> = ["tenant.json"]
    for folder in Self.policyFolders { read.formUnion(try list(folder)) }
    read.formUnion(tenant.assignments.map(\.file))
    return names(below: "", level: 0).filter { looksRead($0) && !read.contains($0) }.map { name in
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

  /// The names relative to the folder, sorted. Links to folders are not followed.
  private func names(below folder: String, level: Int) -> [String] {
    guard level < Self.deepest, let handle = opendir(path + "/" + folder) else { return [] }
    defer { closedir(handle) }
    var names: [String] = []
    while let entry = readdir(handle) {
      let name = withUnsafeBytes(of: entry.pointee.d_name) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
      guard !name.hasPrefix("."), names.count < Self.mostFiles else { continue }
      let inner = folder.isEmpty ? name : folder + "/" + name
      var status = stat()
      guard lstat(path + "/" + inner, &status) == 0 else { continue }
      names += status.st_mode & S_IFMT == S_IFDIR ? self.names(below: inner, level: level + 1) : [inner]
    }
    return names.sorted()
  }
}
