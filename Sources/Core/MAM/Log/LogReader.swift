import CGlibc
import Glibc
import Support

/// Reads the lines of a file in either direction, one chunk at a time.
struct LogReader {
  private static let chunkSize = 256 << 10
  private let file: LogFile
  private let chunk: UnsafeMutableRawBufferPointer

  typealias Visit = (UnsafeRawBufferPointer) -> Bool

  /// Calls `visit` with each line, without its line feed, until `visit` returns false; then returns false as well. A
  /// line that does not fit into a chunk was not written by mambridge: its parts are visited like lines.
  static func forEachLine(of file: LogFile, backwards: Bool, _ visit: Visit) -> Bool {
    let chunk = UnsafeMutableRawBufferPointer.allocate(byteCount: chunkSize, alignment: 64)
    defer { chunk.deallocate() }
    let reader = LogReader(file: file, chunk: chunk)
    return backwards ? reader.readBackwards(visit) : reader.readForwards(visit)
  }

  private func readForwards(_ visit: Visit) -> Bool {
    var start = 0
    while start < file.status.size {
      let wanted = min(Self.chunkSize, file.status.size - start)
      guard let bytes = read(wanted, at: start) else { break }
      var end = bytes.count
      if start + end < file.status.size, let last = bytes.lastLineFeed(before: end) { end = last + 1 }
      guard UnsafeRawBufferPointer(rebasing: bytes[..<end]).visitLines(visit) else { return false }
      start += end
    }
    return true
  }

  private func readBackwards(_ visit: Visit) -> Bool {
    var end = file.status.size
    while end > 0 {
      let start = max(0, end - Self.chunkSize)
      guard let bytes = read(end - start, at: start) else { break }
      var first = 0
      if start > 0, let lineFeed = bytes.firstLineFeed(from: 0), lineFeed + 1 < bytes.count { first = lineFeed + 1 }
      guard UnsafeRawBufferPointer(rebasing: bytes[first...]).visitLinesBackwards(visit) else { return false }
      end = start + first
    }
    return true
  }

  private func read(_ count: Int, at offset: Int) -> UnsafeRawBufferPointer? {
    let part = UnsafeMutableRawBufferPointer(rebasing: chunk[..<count])
    guard let found = file.read(into: part, at: offset), found > 0 else { return nil }
    return UnsafeRawBufferPointer(rebasing: part[..<found])
  }
}

extension UnsafeRawBufferPointer {
  fileprivate func visitLines(_ visit: LogReader.Visit) -> Bool {
    var start = 0
    while start < count {
      let end = firstLineFeed(from: start) ?? count
      guard visit(UnsafeRawBufferPointer(rebasing: self[start..<end])) else { return false }
      start = end + 1
    }
    return true
  }

  fileprivate func visitLinesBackwards(_ visit: LogReader.Visit) -> Bool {
    var end = last == UInt8(ascii: "\n") ? count - 1 : count
    while end >= 0 {
      let start = lastLineFeed(before: end).map { $0 + 1 } ?? 0
      guard visit(UnsafeRawBufferPointer(rebasing: self[start..<end])) else { return false }
      end = start - 1
    }
    return true
  }

  fileprivate func firstLineFeed(from start: Int) -> Int? {
    guard let base = baseAddress, let found = memchr(base + start, 10, count - start) else { return nil }
    return UnsafeRawPointer(found) - base
  }

  fileprivate func lastLineFeed(before end: Int) -> Int? {
    guard let base = baseAddress, let found = cglibc_find_last(base, 10, end) else { return nil }
    return found - base
  }
}
