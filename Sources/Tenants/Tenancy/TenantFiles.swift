/// The files of a tenant. Names are relative to its folder.
package protocol TenantFiles {
  /// The names of the JSON files in a folder, sorted; empty if the folder does not exist.
  func list(_ folder: String) throws(TenantError) -> [String]
  /// The content of a file; `nil` if it does not exist. Throws if it is not a regular file or cannot be read.
  func read(_ name: String) throws(TenantError) -> [UInt8]?
}

/// The files of a tenant in a folder, which may have other files as well.
package protocol TenantFolder: TenantFiles {
  /// Whether a folder exists, or something else has its name.
  func has(_ folder: String) -> Bool
  /// The names of all files but hidden ones, sorted, as far as they can be listed. Links to folders are not followed.
  func names() -> [String]
}

extension TenantFolder {
  /// Reads what can be read of the tenant. Throws if tenant.json cannot be read.
  package func readAvailable() throws(TenantError) -> TenantSnapshot {
    var tenant = try TenantReader(files: self).readAvailable()
    if tenant.policies.isEmpty, !has("policies") {
      tenant.missingPolicies = .unparsable(
        file: "policies", reason: "is missing; create the folder, empty if no policy applies any longer")
    }
    return tenant
  }
}

/// Limits of the files of a tenant, wherever they are.
package enum TenantFileLimits {
  /// In bytes.
  package static let largestFile = FolderFiles.largestFile
  /// In one folder.
  package static let mostFiles = FolderFiles.mostFiles
  /// How many folders below each other are searched for files that no check-in reads.
  package static let deepest = 8
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
