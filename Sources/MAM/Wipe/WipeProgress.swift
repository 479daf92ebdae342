import Support

/// Tells whoever waits for a wipe how far it has come: the files are most of it.
struct WipeProgress: Sendable {
  private static let filesBegin = 10
  private static let filesEnd = 90

  func begin() { Progress.report?(ProgressReport(.begin, percentage: 0, message: "its keys are being destroyed")) }

  func willAskHost() {
    Progress.report?(ProgressReport(.report, percentage: Self.filesBegin / 2, message: "the host is asked"))
  }

  /// Each percent once.
  func removed(_ count: Int, of total: Int) {
    guard total > 0, let report = Progress.report else { return }
    let percentage = Self.percentage(count, total)
    guard count == 0 || percentage != Self.percentage(count - 1, total) else { return }
    report(ProgressReport(.report, percentage: percentage, message: "\(count) of \(total) files"))
  }

  private static func percentage(_ count: Int, _ total: Int) -> Int {
    filesBegin + (filesEnd - filesBegin) * count / total
  }

  func end() { Progress.report?(ProgressReport(.end, percentage: 100)) }
}
