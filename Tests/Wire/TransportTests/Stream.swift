import Glibc

/// A descriptor that a test reads and writes, waiting as long as it takes.
final class Stream {
  private(set) var descriptor: Int32
  private var pending: [UInt8] = []
  /// Bytes of `pending` in which there is no line feed.
  private var searched = 0

  init(_ descriptor: Int32) {
    self.descriptor = descriptor
  }

  deinit { end() }

  func end() {
    if descriptor >= 0 { close(descriptor) }
    descriptor = -1
  }

  /// How many bytes went out before the peer was gone, or, when not waiting, before there was no room.
  @discardableResult
  func write(_ bytes: some Sequence<UInt8>, waits: Bool = true) -> Int {
    let bytes = Array(bytes)
    var done = 0
    while done < bytes.count {
      if !waits && !isReady(POLLOUT, milliseconds: 200) { break }
      let size = waits ? bytes.count - done : min(bytes.count - done, Int(PIPE_BUF))
      let count = bytes[done..<(done + size)].withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
      if count < 0 && errno == EINTR { continue }
      guard count > 0 else { break }
      done += count
    }
    return done
  }

  @discardableResult
  func write(line: String) -> Int { write(Array((line + "\n").utf8)) }

  /// Nil at the end.
  func readLine() -> String? {
    while true {
      if let end = lineFeed() {
        searched = 0
        defer { pending.removeSubrange(...end) }
        return String(decoding: pending[..<end], as: UTF8.self)
      }
      searched = pending.count
      guard readMore() else { return nil }
    }
  }

  /// Fewer at the end.
  func read(count: Int) -> String {
    while pending.count < count, readMore() {}
    searched = 0
    defer { pending.removeFirst(min(count, pending.count)) }
    return String(decoding: pending.prefix(count), as: UTF8.self)
  }

  private func lineFeed() -> Int? {
    pending.withUnsafeBytes { bytes in
      guard let base = bytes.baseAddress, searched < bytes.count else { return nil }
      return memchr(base + searched, 10, bytes.count - searched).map { UnsafeRawPointer($0) - base }
    }
  }

  func readAll() -> String {
    while readMore() {}
    defer { pending = [] }
    return String(decoding: pending, as: UTF8.self)
  }

  func isReady(_ events: Int32, milliseconds: Int32) -> Bool {
    var entry = pollfd(fd: descriptor, events: Int16(events), revents: 0)
    return poll(&entry, 1, milliseconds) > 0
  }

  private func readMore() -> Bool {
    var chunk = [UInt8](repeating: 0, count: 1 << 16)
    while true {
      let count = Glibc.read(descriptor, &chunk, chunk.count)
      if count < 0 && errno == EINTR { continue }
      guard count > 0 else { return false }
      pending += chunk[..<count]
      return true
    }
  }
}
