/// Finds which lines of a log are new, from its newest lines alone. The times of lines do not matter, so a clock that
/// was set back loses no line, and neither does a log whose file was replaced.
struct LogTail<Line: Equatable> {
  /// How many lines are enough to recognize a place in the log.
  static var memory: Int { 500 }

  /// The newest lines that were seen, oldest first.
  private var seen: [Line]

  init(after lines: [Line]) {
    seen = Array(lines.suffix(Self.memory))
  }

  /// The lines of `newest`, oldest first, that come after those that were seen. `isWhole` says whether `newest` reaches
  /// back to the start of the log. `nil` if lines between may be missing: ask with more lines then.
  mutating func news(in newest: [Line], isWhole: Bool) -> [Line]? {
    guard let count = newCount(in: newest) ?? (isWhole ? newest.count : nil) else { return nil }
    skip(to: newest)
    return Array(newest.suffix(count))
  }

  /// Continues after these lines.
  mutating func skip(to newest: [Line]) {
    seen = Array(newest.suffix(Self.memory))
  }

  /// The lowest number of new lines with which all others are the ones that were seen.
  private func newCount(in newest: [Line]) -> Int? {
    guard !seen.isEmpty else { return nil }
    return (0..<newest.count).first { count in
      zip(newest.dropLast(count).reversed(), seen.reversed()).allSatisfy { $0 == $1 }
    }
  }
}
