/// Finds which lines of a log are new, from its newest lines alone. The times of lines do not matter, so a clock that
/// was set back loses no line, and neither does a log whose file was replaced.
struct LogTail<Line: Equatable> {
  /// How many lines are enough to recognize a place in the log.
  static var memory: Int { 500 }

  /// The newest lines that were seen, oldest first.
  private var seen: [Line]
  /// Whether there were no lines before those.
  private var hasSeenAll: Bool

  /// `isWhole` says whether `lines` reach back to the start of the log.
  init(after lines: [Line], isWhole: Bool) {
    seen = lines.suffix(Self.memory)
    hasSeenAll = isWhole && lines.count <= Self.memory
  }

  /// The lines of `newest`, oldest first, that come after those that were seen. `isWhole` says whether `newest` reaches
  /// back to the start of the log. `nil` if lines between may be missing: ask with more lines then.
  mutating func news(in newest: [Line], isWhole: Bool) -> [Line]? {
    guard let count = newCount(in: newest) ?? (isWhole ? newest.count : nil) else { return nil }
    self = LogTail(after: newest, isWhole: isWhole)
    return newest.suffix(count)
  }

  /// The lowest number of new lines with which all others are the ones that were seen.
  private func newCount(in newest: [Line]) -> Int? {
    guard !seen.isEmpty else { return nil }
    let atLeast = hasSeenAll ? max(0, newest.count - seen.count) : 0
    return (atLeast..<max(atLeast, newest.count)).first { count in
      zip(newest.dropLast(count).reversed(), seen.reversed()).allSatisfy { $0 == $1 }
    }
  }
}
