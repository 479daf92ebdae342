import Glibc

/// How the messages of a connection are framed: in the same way as the peer's messages. A single message has no frame.
package enum OutputFraming: Hashable, Sendable {
  case ndjson
  case contentLength
  /// For a reply that is the whole output.
  case bare

  /// Appends a complete JSON text with its frame.
  package func append(_ message: UnsafeBufferPointer<UInt8>, to output: inout [UInt8]) {
    let start = output.count
    output.append(contentsOf: message)
    endMessage(from: start, in: &output)
  }

  /// Frames the JSON text at the end of `output`, from `start` on, so that a reply can be built in place.
  ///
  /// A raw newline in valid JSON can only be white space between tokens, and becomes a space.
  package func endMessage(from start: Int, in output: inout [UInt8]) {
    let start = min(max(0, start), output.count)
    Self.removeNewlines(from: start, in: &output)
    switch self {
    case .ndjson: output.append(ASCII.lineFeed)
    case .contentLength: output.insert(contentsOf: header(byteCount: output.count &- start), at: start)
    case .bare: break
    }
  }

  /// The bytes before a message of `byteCount` bytes.
  func header(byteCount: Int) -> [UInt8] {
    switch self {
    case .ndjson, .bare: []
    case .contentLength: Array("Content-Length: \(byteCount)\r\n\r\n".utf8)
    }
  }

  /// The bytes after a message.
  var terminator: [UInt8] { self == .ndjson ? [ASCII.lineFeed] : [] }

  /// Returns `text` itself if it has no raw newlines, which avoids a copy.
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
