import Model
import Support

/// Tells how much of the files' bytes is done, each percent once; and ends the work when it is to stop.
final class FileProgress: Sendable {
  private struct Standing: Sendable {
    var done = 0
    var percentage = 0
  }
  private let total: Int
  private let standing = Lock(Standing())

  init(total: Int) {
    self.total = total
    Progress.report?(ProgressReport(.begin, percentage: 0))
  }

  /// Throws `cancelled` when the call is to stop.
  func advance(by count: Int) throws(MAMError) {
    if CommitPoint.current?.isStopWanted ?? false { throw .stopped }
    guard let report = Progress.report, total > 0 else { return }
    let percentage = standing.withLock { standing -> Int? in
      standing.done += count
      let percentage = min(100, Int(Double(standing.done) / Double(total) * 100))
      guard percentage > standing.percentage else { return nil }
      standing.percentage = percentage
      return percentage
    }
    if let percentage { report(ProgressReport(.report, percentage: percentage)) }
  }

  func end() {
    Progress.report?(ProgressReport(.end, percentage: 100))
  }
}
