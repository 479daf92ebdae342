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
    case .contentLength:
      let header = "Content-Length: \(output.count &- start)\r\n\r\n"
      output.insert(contentsOf: header.utf8, at: start)
    }
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
