import Glibc
import JSON
import Model
import Support

/// The lines of the log as they are written, by any process, for a reader that continues after the last line it saw.
/// Reads from the disk: a slow reader misses nothing that the log still has, and memory does not grow.
package struct LogFeed: AsyncSequence, Sendable {
  package struct Entry: Equatable, Sendable {
    /// The place from which the reader continues.
    package let id: String
    package let line: LogEntry
  }

  /// How often the log is looked at while nothing is written.
  fileprivate static let pause = Duration.milliseconds(200)

  private let live: LiveState
  private let level: LogLevel?
  private let start: LogPlace?

  /// Begins with the lines that are written after the return if `lastID` is `nil`. If the log no longer has the line of
  /// that id, begins with a line that says so, and the oldest line. May block.
  init(_ live: LiveState, from level: LogLevel?, after lastID: String?) {
    self.live = live
    self.level = level
    // The first read says again why the log cannot be read.
    let files = (try? live.refresh().log.openForReading())?.filter { $0.status.size > 0 } ?? []
    start = lastID.map(LogPlace.init(id:)) ?? files.last.map { LogPlace(of: $0, at: $0.endOfLastLine) }
  }

  package func makeAsyncIterator() -> Iterator { Iterator(live, level: level, place: start) }
}

extension LogFeed {
  package struct Iterator: AsyncIteratorProtocol {
    package typealias Failure = Never

    fileprivate let live: LiveState
    fileprivate let level: LogLevel?
    /// Everything before this place was read; `nil` before the first line of an empty log.
    fileprivate var place: LogPlace?
    /// What was read, in reverse order: the last entry is the next to return.
    private var page: [Entry] = []

    fileprivate init(_ live: LiveState, level: LogLevel?, place: LogPlace?) {
      self.live = live
      self.level = level
      self.place = place
    }

    /// The next line; `nil` if the task is cancelled.
    package mutating func next() async -> Entry? {
      while !Task.isCancelled {
        if let entry = page.popLast() { return entry }
        // A log that cannot be read now may recover.
        if (try? readPage()) != true { try? await Task.sleep(for: LogFeed.pause) }
      }
      return nil
    }

    /// Returns false if there is nothing to read.
    private mutating func readPage() throws(MAMError) -> Bool {
      let log = try live.refresh().log
      let files = try log.openForReading().filter { $0.status.size > 0 }
      guard let first = files.first else { return false }
      let known = place.flatMap { place in files.firstIndex { place.isIn($0) } }
      var found: [Entry] = []
      if place != nil, known == nil { found.append(gap(before: first)) }
      var place = known == nil ? LogPlace(of: first, at: 0) : place ?? LogPlace(of: first, at: 0)
      for file in files[(known ?? 0)...] {
        if !place.isIn(file) { place = LogPlace(of: file, at: 0) }
        let lines = file.lines(from: place)
        guard let end = lines.last?.end else { continue }
        found += entries(of: lines, log.valuesToScrub)
        place = end
        break
      }
      let isNew = self.place != place
      self.place = place
      page = found.reversed()
      return isNew || !found.isEmpty
    }

    private func entries(of lines: [LogFile.Line], _ values: NamedValues) -> [Entry] {
      let filter = LogFilter(LogQuery(level: level))
      return lines.compactMap { line in
        line.bytes.withUnsafeBytes { bytes in
          filter.match(bytes).flatMap { LogEntry(line: $0, hiding: values) }
        }
        .map { Entry(id: line.end.id, line: $0) }
      }
    }

    private func gap(before file: LogFile) -> Entry {
      Entry(
        id: LogPlace(of: file, at: 0).id,
        line: LogEntry(
          time: live.now, level: .warning, category: .diagnostics, message: "lines before this one are missing"))
    }
  }
}

/// A place between two lines of a file of the log. It names the file by its inode and the time of its first line, because
/// the inode of a removed file is used again.
struct LogPlace: Hashable {
  private let inode: UInt64
  private let began: String
  let offset: Int

  init(of file: LogFile, at offset: Int) {
    inode = file.status.inode
    began = file.timeOfFirstLine
    self.offset = offset
  }

  /// A text that is no id is a place in no file.
  init(id: String) {
    let parts = id.split(separator: "/", omittingEmptySubsequences: false)
    let numbers = parts.count == 3 ? (UInt64(parts[0]), Int(parts[2])) : (nil, nil)
    inode = numbers.0 ?? 0
    began = parts.count == 3 ? String(parts[1]) : ""
    offset = max(0, numbers.1 ?? 0)
  }

  var id: String { "\(inode)/\(began)/\(offset)" }

  func isIn(_ file: LogFile) -> Bool {
    inode == file.status.inode && offset <= file.status.size && began == file.timeOfFirstLine
  }

  func moved(to offset: Int) -> LogPlace { LogPlace(self, offset) }

  private init(_ place: LogPlace, _ offset: Int) {
    (inode, began, self.offset) = (place.inode, place.began, offset)
  }
}

extension LogFile {
  /// A line without its line feed, and the place after it.
  struct Line {
    let bytes: [UInt8]
    let end: LogPlace
  }

  /// The longest part that is read at a time. A line is shorter.
  private static let partSize = 256 << 10

  fileprivate var timeOfFirstLine: String {
    String(decoding: part(from: LogLine.timeOffset, count: LogLine.timeLength), as: UTF8.self)
  }

  /// The end of the last complete line. Another process may be writing the rest.
  fileprivate var endOfLastLine: Int {
    let start = max(0, status.size - Self.partSize)
    let last = part(from: start, count: Self.partSize).lastIndex(of: UInt8(ascii: "\n"))
    return last.map { start + $0 + 1 } ?? start
  }

  /// The complete lines after a place, as far as they are read at a time. A part without a line feed counts as a line if
  /// it is longer than any line.
  fileprivate func lines(from place: LogPlace) -> [Line] {
    let bytes = part(from: place.offset, count: Self.partSize)
    var (lines, start): ([Line], Int) = ([], 0)
    while let end = bytes[start...].firstIndex(of: UInt8(ascii: "\n")) {
      lines.append(Line(bytes: Array(bytes[start..<end]), end: place.moved(to: place.offset + end + 1)))
      start = end + 1
    }
    guard lines.isEmpty, bytes.count == Self.partSize else { return lines }
    return [Line(bytes: [], end: place.moved(to: place.offset + bytes.count))]
  }

  private func part(from offset: Int, count: Int) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: count)
    let found = bytes.withUnsafeMutableBytes { read(into: $0, at: offset) } ?? 0
    bytes.removeLast(count - found)
    return bytes
  }
}
