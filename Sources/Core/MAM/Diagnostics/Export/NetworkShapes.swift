import Model
import Support

/// Recognizes network addresses by their shape. Every function looks at a bounded piece of the text.
enum NetworkShapes {
  /// Finds an IPv4 or IPv6 address. Ignores loopback and unspecified addresses, which reveal nothing.
  static func endOfAddress(_ text: [UInt8], _ start: Int) -> Int? {
    if let end = endOfIPv6(text, start) { return end }
    guard start == 0 || text[start - 1] != UInt8(ascii: "."), let end = endOfIPv4(text, start) else { return nil }
    let address = text[start..<end]
    let isHarmless = address.starts(with: "127.".utf8) || address.elementsEqual("0.0.0.0".utf8)
    return isHarmless || SecretWords.isVersion(text, at: start) ? nil : end
  }

  /// Four numbers up to 255. With a fifth number or part it is something else, such as a version.
  private static func endOfIPv4(_ text: [UInt8], _ start: Int) -> Int? {
    var index = start
    for part in 0..<4 {
      if part > 0 {
        guard index < text.count, text[index] == UInt8(ascii: ".") else { return nil }
        index += 1
      }
      let digits = text[min(index, text.count)...].prefix(4).prefix { $0.isDigit }
      let value = digits.reduce(0) { 10 * $0 + Int($1 & 15) }
      guard (1...3).contains(digits.count), value <= 255, digits.count == 1 || digits.first != UInt8(ascii: "0") else {
        return nil
      }
      index = digits.endIndex
    }
    let isLonger = index + 1 < text.count && text[index] == UInt8(ascii: ".") && text[index + 1].isDigit
    return isLonger || !text.isWordEnd(index) ? nil : index
  }

  private static func endOfIPv6(_ text: [UInt8], _ start: Int) -> Int? {
    guard text[start].isHexDigit || text[start] == UInt8(ascii: ":") else { return nil }
    var (index, groups, hasGap) = (start, 0, false)
    while groups < 8 {
      if text[index...].starts(with: "::".utf8) {
        guard !hasGap else { return nil }
        (hasGap, index) = (true, index + 2)
      } else if groups > 0, index < text.count, text[index] == UInt8(ascii: ":") {
        index += 1
      } else if groups > 0 || hasGap && index > start + 2 {
        break
      }
      if groups > 0 || hasGap, let end = endOfIPv4(text, index) {
        (groups, index) = (groups + 2, end)
        break
      }
      let digits = text[min(index, text.count)...].prefix(5).prefix { $0.isHexDigit }
      if digits.isEmpty, hasGap {
        if text[index - 2] != UInt8(ascii: ":") { index -= 1 }
        break
      }
      guard (1...4).contains(digits.count) else { return nil }
      (groups, index) = (groups + 1, digits.endIndex)
    }
    let isLoopback = groups <= 1 && text[start..<index].allSatisfy { ":01".utf8.contains($0) }
    guard hasGap ? (1...7).contains(groups) : groups == 8, !isLoopback, text.isWordEnd(index) else { return nil }
    return endOfZone(text, index)
  }

  /// A zone such as `%eth0`.
  private static func endOfZone(_ text: [UInt8], _ index: Int) -> Int {
    guard index + 1 < text.count, text[index] == UInt8(ascii: "%"), text[index + 1].isAlphanumeric else { return index }
    return text[(index + 1)...].prefix(16).firstIndex { !$0.isAlphanumeric } ?? min(text.count, index + 17)
  }

  /// Six pairs of hex digits with the same separator.
  static func endOfHardwareAddress(_ text: [UInt8], _ start: Int) -> Int? {
    guard start + 17 <= text.count, text[start + 2] == UInt8(ascii: ":") || text[start + 2] == UInt8(ascii: "-") else {
      return nil
    }
    let fits = (0..<17).allSatisfy { offset in
      let byte = text[start + offset]
      return offset % 3 == 2 ? byte == text[start + 2] : byte.isHexDigit
    }
    let end = start + 17
    return fits && text.isWordEnd(end) && (end == text.count || text[end] != text[start + 2]) ? end : nil
  }
}
