/// The files of a tenant, by names relative to its folder.
protocol TenantFiles: Sendable {
  /// Names of the JSON files in a folder, sorted; none when there is no such folder.
  func list(_ folder: String) throws(TenantError) -> [String]
  /// `nil` if there is no file of this name. Throws for anything else that is not a regular file with content to read.
  func read(_ name: String) throws(TenantError) -> [UInt8]?
}

/// Files in memory.
struct TextFiles: TenantFiles {
  let texts: [String: String]

  func list(_ folder: String) -> [String] {
    texts.keys.filter { $0.hasPrefix(folder + "/") }.sorted()
  }

  func read(_ name: String) -> [UInt8]? {
    texts[name].map { Array($0.utf8) }
  }
}
