import Support

/// One line of a header block.
enum HeaderField: Equatable {
  case contentLength(Int)
  case contentType
  /// The empty line after the last field.
  case end
  case malformed

  /// `line` includes its line feed. Only CRLF ends a line, as in LSP.
  init(line: UnsafeRawBufferPointer) {
    guard line.count >= 2, line[line.count &- 2] == ASCII.carriageReturn else {
      self = .malformed
      return
    }
    let field = line.dropLast(2)
    guard !field.isEmpty else {
      self = .end
      return
    }
    guard let colon = field.firstIndex(of: ASCII.colon) else {
      self = .malformed
      return
    }
    self.init(name: Self.lowercased(field[..<colon]), value: Self.trimmed(field[(colon &+ 1)...]))
  }

  private init(name: String, value: Slice<UnsafeRawBufferPointer>) {
    switch name {
    case "content-length": self = Self.length(value).map { .contentLength($0) } ?? .malformed
    case "content-type": self = Self.isUTF8(value) ? .contentType : .malformed
    default: self = .malformed
    }
  }

  /// 1 to 15 digits.
  private static func length(_ value: Slice<UnsafeRawBufferPointer>) -> Int? {
    guard (1...15).contains(value.count), value.allSatisfy(\.isDigit) else { return nil }
    return value.reduce(0) { $0 &* 10 &+ Int($1 &- ASCII.zero) }
  }

  /// A media type with parameters. The charset, if given, is utf-8, or utf8 as old clients write it.
  private static func isUTF8(_ value: Slice<UnsafeRawBufferPointer>) -> Bool {
    let parts = lowercased(value).split(separator: ";", omittingEmptySubsequences: false)
    guard let type = parts.first, isMediaType(type) else { return false }
    return parts.dropFirst().allSatisfy(isAcceptable)
  }

  private static func isMediaType(_ type: Substring) -> Bool {
    let halves = trimmed(type).split(separator: "/", omittingEmptySubsequences: false)
    return halves.count == 2 && halves.allSatisfy { !$0.isEmpty && !$0.contains(" ") }
  }

  private static func isAcceptable(_ parameter: Substring) -> Bool {
    let halves = trimmed(parameter).split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
    guard halves.count == 2, !halves[0].isEmpty else { return false }
    guard halves[0] == "charset" else { return true }
    return ["utf-8", "utf8", "\"utf-8\"", "\"utf8\""].contains(halves[1])
  }

  private static func trimmed(_ text: Substring) -> Substring {
    let head = text.drop { $0 == " " || $0 == "\t" }
    return head.lastIndex { $0 != " " && $0 != "\t" }.map { head[...$0] } ?? ""
  }

  private static func trimmed(_ value: Slice<UnsafeRawBufferPointer>) -> Slice<UnsafeRawBufferPointer> {
    let isBlank = { (byte: UInt8) in byte == ASCII.space || byte == ASCII.tab }
    let head = value.drop(while: isBlank)
    return head.lastIndex { !isBlank($0) }.map { head[...$0] } ?? head[head.endIndex...]
  }

  private static func lowercased(_ bytes: Slice<UnsafeRawBufferPointer>) -> String {
    String(decoding: bytes, as: UTF8.self).lowercased()
  }
}
