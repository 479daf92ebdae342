import Glibc

/// A tenant in a folder: tenant.json, policies/ and configurations/.
package struct FolderTenant: Tenant {
  package let path: String

  package init(path: String) {
    self.path = path
  }

  package func read() throws(TenantError) -> TenantSnapshot {
    var status = stat()
    guard stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFDIR else {
      throw .missing(path: path, hint: "Make the folder with a tenant.json in it, or name another with --tenant.")
    }
    return try TenantReader(files: FolderFiles(path: path)).read()
  }
}
