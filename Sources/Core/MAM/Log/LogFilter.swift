import CGlibc
import Glibc
import JSON
import Model
import Support

/// A query as bytes, which checks a line without parsing it.
struct LogFilter {
  private let since: [UInt8]?
  private let until: [UInt8]?
  private let level: LogLevel?
  private let category: [UInt8]?
  private let text: [UInt8]?

  init(_ query: LogQuery) {
    since = query.since.map { Array($0.description.utf8) }
    until = query.until.map { Array($0.description.utf8) }
    level = query.level
    category = query.category.map { Array($0.name.utf8) }
    text = query.text.map { Array($0.jsonText.utf8.dropFirst().dropLast()) }
  }

  /// Returns the line if it matches. If a complete entry follows a torn one in the same line, only the complete one
  /// counts.
  func match(_ line: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer? {
    guard let line = line.startingAtLastEntry, let level = line.logLevel else { return nil }
    if let minimum = self.level, level < minimum { return nil }
    if let since, line.compare(since, at: LogLine.timeOffset) < 0 { return nil }
    if let until, line.compare(until, at: LogLine.timeOffset) > 0 { return nil }
    guard category != nil || text != nil else { return line }
    return matchesRest(line, from: LogLine.levelOffset + level.rawValue.utf8.count) ? line : nil
  }

  private func matchesRest(_ line: UnsafeRawBufferPointer, from levelEnd: Int) -> Bool {
    guard line.has(LogLine.beforeCategory, at: levelEnd) else { return false }
    let start = levelEnd + LogLine.beforeCategory.utf8CodeUnitCount
    let rest = UnsafeRawBufferPointer(rebasing: line[start...])
    guard let length = rest.firstIndex(of: UInt8(ascii: "\"")),
      let place = rest.place(of: LogLine.beforeMessage, from: length + 1)
    else { return false }
    if let category, category.count != length || rest.compare(category, at: 0) != 0 { return false }
    let messageStart = place + LogLine.beforeMessage.utf8CodeUnitCount
    let messageEnd = rest.count - LogLine.end.utf8CodeUnitCount
    guard let text else { return true }
    guard messageStart <= messageEnd else { return false }
    return UnsafeRawBufferPointer(rebasing: rest[messageStart..<messageEnd]).contains(text)
  }
}

extension UnsafeRawBufferPointer {
  /// `nil` if the line contains no entry. A message cannot contain the start of an entry, because its quotes are
  /// escaped.
  fileprivate var startingAtLastEntry: UnsafeRawBufferPointer? {
    var rest = self
    while let next = rest.nextEntryStart { rest = UnsafeRawBufferPointer(rebasing: rest[next...]) }
    return rest.isEntry ? rest : nil
  }

  private var nextEntryStart: Int? { place(of: LogLine.beforeTime, from: 1) }

  fileprivate func place(of text: StaticString, from start: Int) -> Int? {
    guard let base = baseAddress, count > start else { return nil }
    return cglibc_find(base + start, count - start, text.utf8Start, text.utf8CodeUnitCount).map { $0 - base }
  }

  private var isEntry: Bool {
    has(LogLine.beforeTime, at: 0)
      && has(LogLine.beforeLevel, at: LogLine.timeOffset + LogLine.timeLength)
      && has(LogLine.end, at: count - LogLine.end.utf8CodeUnitCount)
  }

  fileprivate var logLevel: LogLevel? {
    guard count > LogLine.levelOffset else { return nil }
    return switch self[LogLine.levelOffset] {
    case UInt8(ascii: "v"): .verbose
    case UInt8(ascii: "i"): .info
    case UInt8(ascii: "w"): .warning
    case UInt8(ascii: "e"): .error
    default: nil
    }
  }

  fileprivate func has(_ text: StaticString, at offset: Int) -> Bool {
    guard let base = baseAddress, offset >= 0, offset + text.utf8CodeUnitCount <= count else { return false }
    return memcmp(base + offset, text.utf8Start, text.utf8CodeUnitCount) == 0
  }

  /// Like `memcmp`; a line that is too short comes first.
  fileprivate func compare(_ bytes: [UInt8], at offset: Int) -> Int32 {
    guard let base = baseAddress, offset + bytes.count <= count else { return -1 }
    return memcmp(base + offset, bytes, bytes.count)
  }

  fileprivate func contains(_ needle: [UInt8]) -> Bool {
    guard let base = baseAddress else { return needle.isEmpty }
    return cglibc_find(base, count, needle, needle.count) != nil
  }
}
