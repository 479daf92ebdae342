import Glibc

/// How a connection's messages are written: as the peer writes its own.
package enum OutputFraming: Hashable, Sendable {
  case ndjson
  case contentLength

  /// Frames a finished JSON text and appends it.
  package func append(_ message: UnsafeBufferPointer<UInt8>, to output: inout [UInt8]) {
    let start = output.count
    output.append(contentsOf: message)
    endMessage(from: start, in: &output)
  }

  /// Frames the JSON text that stands at the end of `output` from `start` on, so that a reply can be built in place.
  ///
  /// A raw newline in valid JSON can only be white space between tokens, and becomes a space.
  package func endMessage(from start: Int, in output: inout [UInt8]) {
    let start = min(max(0, start), output.count)
    Self.removeNewlines(from: start, in: &output)
    switch self {
    case .ndjson: output.append(ASCII.lineFeed)
    case .contentLength: output.insert(contentsOf: header(byteCount: output.count &- start), at: start)
    }
  }

  /// What stands before a message of so many bytes.
  func header(byteCount: Int) -> [UInt8] {
    switch self {
    case .ndjson: []
    case .contentLength: Array("Content-Length: \(byteCount)\r\n\r\n".utf8)
    }
  }

  /// What stands behind a message.
  var terminator: [UInt8] { self == .ndjson ? [ASCII.lineFeed] : [] }

  /// `text` itself when it has no raw newlines, which is no copy.
  static func withoutNewlines(_ text: [UInt8]) -> [UInt8] {
    let hasNewline = text.withUnsafeBytes { bytes in
      bytes.baseAddress.map { memchr($0, CInt(ASCII.lineFeed), bytes.count) != nil } ?? false
    }
    guard hasNewline else { return text }
    var text = text
    removeNewlines(from: 0, in: &text)
    return text
  }

  private static func removeNewlines(from start: Int, in output: inout [UInt8]) {
    output.withUnsafeMutableBytes { bytes in
      guard var next = bytes.baseAddress else { return }
      let end = next + bytes.count
      next += start
      while let found = memchr(next, CInt(ASCII.lineFeed), end - next) {
        found.storeBytes(of: ASCII.space, as: UInt8.self)
        next = found
      }
    }
  }
}
