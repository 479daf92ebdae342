import Glibc
import JSONRPC
import TestSupport
import Testing

/// One connection of a file in Tests/Transcripts; FORMAT.md there says what the lines mean.
struct Transcript: CustomTestStringConvertible, Sendable {
  let name: String
  private(set) var limits = SessionLimits()
  /// What opens the connection; nil where nothing must.
  private(set) var token: String?
  private(set) var parts = [Part()]
  private(set) var received: [String] = []
  /// The bytes of both directions as they stand in the stream; empty where messages are told.
  private(set) var sentBytes: [UInt8] = []
  private(set) var receivedBytes: [UInt8] = []
  private(set) var hasFault = false

  var sent: [[UInt8]] { parts.flatMap(\.sent) }

  /// What is sent without waiting.
  struct Part: Sendable {
    var sent: [[UInt8]] = []
    /// How many messages must have come before the next part.
    var awaited = 0
  }

  var testDescription: String { name }
  var isRaw: Bool { !sentBytes.isEmpty }

  private init(name: String, lines: ArraySlice<Substring>) {
    self.name = name
    for line in lines { take(line) }
  }

  private mutating func take(_ line: Substring) {
    let text = String(line.dropFirst(4))
    switch line.prefix(4) {
    case "--> ": parts[parts.count - 1].sent.append(Array(text.utf8))
    case "-x> ": parts[parts.count - 1].sent.append(Self.bytes(ofHex: text))
    case "<-- ": received.append(text)
    case "<-? ":
      received.append(text)
      parts[parts.count - 1].awaited = received.count
      parts.append(Part())
    case "==> ": sentBytes += Self.bytes(ofEscaped: text)
    case "<== ": receivedBytes += Self.bytes(ofEscaped: text)
    case "set ": set(text)
    default: hasFault = hasFault || !line.hasPrefix("#")
    }
  }

  private mutating func set(_ flag: String) {
    if flag.hasPrefix("token=") {
      token = String(flag.dropFirst("token=".count))
    } else {
      do { try limits.set(flag: flag) } catch { hasFault = true }
    }
  }
}

// MARK: - Files

extension Transcript {
  static let all = files.flatMap { file in
    let lines = String(decoding: readFile(file) ?? [], as: UTF8.self).split(separator: "\n")
    let name = file.split(separator: "/").last.map(String.init) ?? file
    let titles = lines.indices.filter { lines[$0].hasPrefix("=== ") }
    guard !titles.isEmpty else { return [Transcript(name: name, lines: lines[...])] }
    return zip(titles, titles.dropFirst() + [lines.count]).map { start, end in
      Transcript(name: "\(name): \(lines[start].dropFirst(4))", lines: lines[(start + 1)..<end])
    }
  }

  private static var files: [String] {
    filesOf(folder: Checkout.path("Tests/Transcripts")).filter { $0.hasSuffix(".jsonl") }
  }

  private static func bytes(ofHex text: String) -> [UInt8] {
    let digits = text.compactMap(\.hexDigitValue)
    return stride(from: 0, to: digits.count - 1, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) }
  }

  /// With \r, \n, \t, \\ and \xHH.
  private static func bytes(ofEscaped text: String) -> [UInt8] {
    var bytes: [UInt8] = []
    var rest = text[...]
    while let next = rest.popFirst() {
      switch next == "\\" ? rest.popFirst() : nil {
      case nil: bytes += Array(String(next).utf8)
      case "r": bytes.append(13)
      case "n": bytes.append(10)
      case "t": bytes.append(9)
      case "x":
        bytes += Self.bytes(ofHex: String(rest.prefix(2)))
        rest = rest.dropFirst(2)
      case let other?: bytes += Array(String(other).utf8)
      }
    }
    return bytes
  }
}
