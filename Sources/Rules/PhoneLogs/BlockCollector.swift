import JSON
import Support

/// Puts values together that a log or a dump prints over several lines.
struct BlockCollector {
  /// A dump has about 40 KB. What is longer is cut, as if the input ended there.
  private static let longest = 1 << 20

  /// A value with the line that it begins in.
  struct Block {
    let value: JSONValue
    let line: Int
    /// Whether its end is missing.
    let isCut: Bool
  }

  private var bytes: [UInt8] = []
  private var line = 0
  private var depth = 0
  private var isInQuotes = false
  private var isEscaped = false

  /// Takes a line, and returns the values that end in it.
  mutating func add(_ line: LogLine) -> [Block] {
    var blocks: [Block] = []
    // Only the first line of a value has a time.
    if depth > 0, line.time != nil, let block = end(isCut: true) { blocks.append(block) }
    var place = line.textStart
    while place < line.bytes.endIndex {
      if depth == 0 {
        guard let start = Self.start(in: line.bytes, from: place) else { break }
        (place, self.line) = (start, line.number)
      }
      place = collect(line.bytes, from: place)
      if depth == 0 || bytes.count >= Self.longest, let block = end(isCut: depth > 0) { blocks.append(block) }
    }
    if depth > 0 { bytes.append(0x0A) }
    return blocks
  }

  /// The value that the input ends in.
  mutating func finish() -> Block? { depth > 0 ? end(isCut: true) : nil }

  /// Where a value begins: a brace, Android's policy, or Swift's dictionary.
  private static func start(in bytes: [UInt8], from place: Int) -> Int? {
    let starts: [StaticString] = ["Received policy [", "[AnyHashable("]
    let brace = bytes[place...].firstIndex(of: UInt8(ascii: "{"))
    // What is behind the brace is looked at when the line goes on there.
    let others = starts.compactMap { text in
      text.withUTF8Buffer { sign in bytes.firstPlace(ofText: sign, in: place..<(brace ?? bytes.endIndex)) }
    }
    let named = others.min().flatMap { bytes[$0...].firstIndex(of: UInt8(ascii: "[")) }
    return [brace, named].compactMap(\.self).min()
  }

  /// Takes bytes until the brackets are closed, and returns the place after the last one.
  private mutating func collect(_ line: [UInt8], from start: Int) -> Int {
    var place = start
    while place < line.endIndex, bytes.count < Self.longest {
      let byte = line[place]
      bytes.append(byte)
      place += 1
      if isEscaped {
        isEscaped = false
      } else if byte == UInt8(ascii: "\\") {
        isEscaped = true
      } else if byte == UInt8(ascii: "\"") {
        isInQuotes.toggle()
      } else if !isInQuotes {
        depth += "{[(".utf8.contains(byte) ? 1 : "}])".utf8.contains(byte) ? -1 : 0
        if depth <= 0 { break }
      }
    }
    return place
  }

  /// Only values that name something of interest are read.
  private mutating func end(isCut: Bool) -> Block? {
    defer { (bytes, depth, isInQuotes, isEscaped) = ([], 0, false, false) }
    guard Self.names.contains(where: { name in name.withUTF8Buffer { bytes.firstPlace(ofText: $0) != nil } }),
      let value = LooseValue.read(bytes)
    else { return nil }
    return Block(value: value, line: line, isCut: isCut)
  }

  private static let names: [StaticString] = [
    "MAMPolicies", "ManagedAppProtection", "policyTemplateVersion", "EMM-UPN", "MAMEnrolledUser",
    "RegisteredAccountsNotTargeted",
    "ApplicationConfiguration", "AppConfig", "PolicySource",
  ]
}
