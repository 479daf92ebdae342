/// The files of a tenant, by names relative to its folder.
protocol TenantFiles: Sendable {
  /// Names of the JSON files in a folder, sorted; none when there is no such folder.
  func list(_ folder: String) throws(TenantError) -> [String]
  func read(_ name: String) throws(TenantError) -> TenantFileContent
}

enum TenantFileContent {
  case bytes([UInt8])
  case absent
  /// A folder, a pipe or another thing that is no file.
  case notAFile
}

/// Files in memory.
struct TextFiles: TenantFiles {
  let texts: [String: String]

  func list(_ folder: String) -> [String] {
    texts.keys.filter { $0.hasPrefix(folder + "/") }.sorted()
  }

  func read(_ name: String) -> TenantFileContent {
    texts[name].map { .bytes(Array($0.utf8)) } ?? .absent
  }
}
