import Glibc
import TestSupport
import Testing

/// One file of Tests/Transcripts; its FORMAT.md says what the lines mean.
struct Transcript: CustomTestStringConvertible, Sendable {
  let name: String
  private(set) var parts = [Part()]
  private(set) var received: [String] = []

  var sent: [[UInt8]] { parts.flatMap(\.sent) }

  /// What is sent without waiting.
  struct Part: Sendable {
    var sent: [[UInt8]] = []
    /// How many messages must have come before the next part.
    var awaited = 0
  }

  var testDescription: String { name }

  init?(file path: String) {
    guard let bytes = readFile(path) else { return nil }
    name = path.split(separator: "/").last.map(String.init) ?? path
    for line in String(decoding: bytes, as: UTF8.self).split(separator: "\n") {
      let text = String(line.dropFirst(4))
      switch line.prefix(4) {
      case "--> ": parts[parts.count - 1].sent.append(Array(text.utf8))
      case "-x> ": parts[parts.count - 1].sent.append(Self.bytes(ofHex: text))
      case "<-- ": received.append(text)
      case "<-? ":
        received.append(text)
        parts[parts.count - 1].awaited = received.count
        parts.append(Part())
      default: guard line.hasPrefix("#") else { return nil }
      }
    }
  }

  static let all: [Transcript] = {
    let folder = "\(#filePath)".split(separator: "/").dropLast(3).reduce("") { $0 + "/" + $1 } + "/Transcripts"
    guard let entries = opendir(folder) else { return [] }
    defer { closedir(entries) }
    var names: [String] = []
    while let entry = readdir(entries) {
      names.append(withUnsafeBytes(of: entry.pointee.d_name) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) })
    }
    return names.filter { $0.hasSuffix(".jsonl") }.sorted().compactMap { Transcript(file: folder + "/" + $0) }
  }()

  private static func bytes(ofHex text: String) -> [UInt8] {
    let digits = text.compactMap(\.hexDigitValue)
    return stride(from: 0, to: digits.count - 1, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) }
  }
}
