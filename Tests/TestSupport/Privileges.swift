import Glibc

/// What the user of the tests may do.
package enum Privileges {
  package static let isRoot = geteuid() == 0

  /// Root in a container may lack it.
  package static let canMount =
    isRoot && (try? Subprocess.run("/usr/bin/unshare", ["-m", "/bin/mount", "--bind", "/tmp", "/tmp"]))?.status == 0

  /// Returns false where the file system cannot.
  package static func setImmutable(_ path: String, _ isImmutable: Bool) -> Bool {
    let outcome = try? Subprocess.run("/usr/bin/chattr", [isImmutable ? "+i" : "-i", path])
    return outcome?.status == 0
  }
}
