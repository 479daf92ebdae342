import Glibc
import Model
import Support

/// Protects every file of a folder, one after another. Continues after failures and reports them at the end.
struct FolderProtection {
  let files: FileProtection
  let state: StateGuard
  let goal: FileGoal
  let canRead: FileProtection.CanRead
  let told: (ProtectedFile) -> Void

  /// Commit point: that of the first file. If the work is stopped later, it skips the remaining files and throws
  /// `partlyDone`.
  func run(_ folder: DiskFile) throws(MAMError) {
    let system = SystemFolders()
    try system.check(folder)
    let progress = FileProgress(total: try FileWalk.size(of: folder, state))
    var (done, failures) = (0, [] as [FileFailure])
    var walk = FileWalk(state: state) { location, _ throws(MAMError) in
      told(try files.protect(location, goal, canRead: canRead, progress))
      done += 1
    } report: {
      failures.append($0)
    }
    walk.refuse = system.checkItself
    do throws(MAMError) {
      try walk.run(folder)
    } catch {
      guard error.code == .cancelled, CommitPoint.current?.state == .committed else { throw error }
      throw .partlyDone(folder.path, "was protected only partly: stopped after \(done) files", failures)
    }
    progress.end()
    guard failures.isEmpty else {
      let counts = "\(failures.count) files failed, \(done) succeeded"
      throw .partlyDone(folder.path, "was protected only partly: \(counts)", failures)
    }
  }
}

extension MAMError {
  fileprivate static func partlyDone(_ path: String, _ what: String, _ failures: [FileFailure]) -> MAMError {
    var error = MAMError(
      .partlyDone, "the folder \(what)",
      hint: "data.failures lists the failed files and the reasons. Correct them and try again", path: path)
    error.failures = failures
    return error
  }
}

/// Reports how much of the files' bytes is done, each percent once, and ends work that must stop.
package final class FileProgress: Sendable {
  private struct Standing: Sendable {
    var done = 0
    var percentage = 0
  }
  private let total: Int
  private let standing = Lock(Standing())

  package init(total: Int) {
    self.total = total
    Progress.report?(ProgressReport(.begin, percentage: 0))
    Progress.observe?(WorkDone(bytes: 0, total: total))
  }

  /// Throws `cancelled` if the call must stop.
  package func advance(by count: Int) throws(MAMError) {
    if CommitPoint.current?.isStopWanted ?? false { throw .stopped }
    let (report, observe) = (Progress.report, Progress.observe)
    guard report != nil || observe != nil, total > 0 else { return }
    let (done, percentage) = step(by: count)
    observe?(WorkDone(bytes: min(done, total), total: total))
    if let percentage { report?(ProgressReport(.report, percentage: percentage)) }
  }

  /// The percentage is `nil` if it has been reported.
  private func step(by count: Int) -> (done: Int, percentage: Int?) {
    standing.withLock { standing in
      standing.done += count
      let percentage = min(100, Int(Double(standing.done) / Double(total) * 100))
      guard percentage > standing.percentage else { return (standing.done, nil) }
      standing.percentage = percentage
      return (standing.done, percentage)
    }
  }

  package func end() {
    Progress.report?(ProgressReport(.end, percentage: 100))
  }
}
