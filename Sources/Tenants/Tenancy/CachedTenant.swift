import Glibc
import Support

/// The folder that this process has read last, for as long as nothing in it changes.
///
/// One folder only, and its users as text, so that its memory is bounded. A folder is kept only if it was read whole, and
/// if its marks would show any later change: not right after a change, and not on a network.
final class CachedTenant: Sendable {
  private struct Kept {
    let path: String
    let marks: FolderMarks
    let tenant: TenantSnapshot
  }

  /// The cache that all cores of this process share.
  static let ofProcess = CachedTenant()

  private let kept = Lock<Kept?>(nil)
  /// In seconds of the wall clock, which file systems use.
  private let now: @Sendable () -> Int

  init(now: @escaping @Sendable () -> Int = { time(nil) }) {
    self.now = now
  }

  /// The same as `FolderTenant.readAvailable` at this moment. Calls `stat` for each file if nothing has changed.
  func readAvailable(_ path: String) throws(TenantError) -> TenantSnapshot {
    if let kept = kept.withLock({ $0 }), kept.path == path, kept.marks.areCurrent(in: path) { return kept.tenant }
    // Before the folder is read, so that two versions are not in memory at once.
    kept.withLock { $0 = nil }
    let start = now()
    let files = MarkedFiles(FolderFiles(path: path))
    let tenant = try FolderTenant(path: path).readAvailable(files)
    let marks = files.marks
    let isWhole = tenant.policyFault == nil && tenant.missingPolicies == nil
    if isWhole, marks.areReliable(in: path, at: start), marks.areCurrent(in: path) {
      kept.withLock { $0 = Kept(path: path, marks: marks, tenant: tenant) }
    }
    return tenant
  }

  /// Whether a folder is kept.
  var isFilled: Bool { kept.withLock { $0 != nil } }
}
