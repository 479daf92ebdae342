/// The output of `diff -u` for two texts; empty if the texts are equal.
package struct UnifiedDiff {
  private static let context = 3
  fileprivate static let newline = UInt8(ascii: "\n")

  fileprivate enum Line {
    case same(ArraySlice<UInt8>), removed(ArraySlice<UInt8>), added(ArraySlice<UInt8>)
  }

  private let lines: [Line]

  package init(from old: [UInt8], to new: [UInt8]) {
    let (old, new) = (Self.lines(of: old), Self.lines(of: new))
    var removed: Set<Int> = []
    var added: Set<Int> = []
    for change in new.difference(from: old) {
      switch change {
      case .remove(let offset, _, _): removed.insert(offset)
      case .insert(let offset, _, _): added.insert(offset)
      }
    }
    var lines: [Line] = []
    var (from, to) = (0, 0)
    while from < old.count || to < new.count {
      if removed.contains(from) {
        lines.append(.removed(old[from]))
        from += 1
      } else if added.contains(to) {
        lines.append(.added(new[to]))
        to += 1
      } else {
        lines.append(.same(old[from]))
        (from, to) = (from + 1, to + 1)
      }
    }
    self.lines = lines
  }

  private static func lines(of text: [UInt8]) -> [ArraySlice<UInt8>] {
    var lines: [ArraySlice<UInt8>] = []
    var rest = text[...]
    while let end = rest.firstIndex(of: newline) {
      lines.append(rest[...end])
      rest = rest[(end + 1)...]
    }
    return rest.isEmpty ? lines : lines + [rest]
  }

  /// The diff as text, with these names for the two files.
  package func text(from: String, to: String) -> [UInt8] {
    let hunks = self.hunks
    guard !hunks.isEmpty else { return [] }
    return Array("--- \(from)\n+++ \(to)\n".utf8) + hunks.flatMap(text(of:))
  }

  /// The changed lines with the lines around them. Hunks that touch are joined.
  private var hunks: [Range<Int>] {
    var hunks: [Range<Int>] = []
    for index in lines.indices where lines[index].isChange {
      let range = max(0, index - Self.context)..<min(lines.count, index + Self.context + 1)
      if let last = hunks.last, range.lowerBound <= last.upperBound {
        hunks[hunks.count - 1] = last.lowerBound..<range.upperBound
      } else {
        hunks.append(range)
      }
    }
    return hunks
  }

  private func text(of hunk: Range<Int>) -> [UInt8] {
    let (before, part) = (lines[..<hunk.lowerBound], lines[hunk])
    let old = Self.span(before.count(where: \.isInOld), part.count(where: \.isInOld))
    let new = Self.span(before.count(where: \.isInNew), part.count(where: \.isInNew))
    return Array("@@ -\(old) +\(new) @@\n".utf8) + part.flatMap(\.text)
  }

  /// An empty span starts at the line before it.
  private static func span(_ before: Int, _ count: Int) -> String {
    let start = count == 0 ? before : before + 1
    return count == 1 ? "\(start)" : "\(start),\(count)"
  }
}

extension UnifiedDiff.Line {
  fileprivate var isChange: Bool { if case .same = self { false } else { true } }
  fileprivate var isInOld: Bool { if case .added = self { false } else { true } }
  fileprivate var isInNew: Bool { if case .removed = self { false } else { true } }

  fileprivate var text: [UInt8] {
    let (sign, line) =
      switch self {
      case .same(let line): (" ", line)
      case .removed(let line): ("-", line)
      case .added(let line): ("+", line)
      }
    let end = line.last == UnifiedDiff.newline ? "" : "\n\\ No newline at end of file\n"
    var text = Array(sign.utf8)
    text += line
    text += end.utf8
    return text
  }
}
