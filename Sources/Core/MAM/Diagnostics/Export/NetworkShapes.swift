import Model
import Support

/// Recognizes network addresses by their shape.
enum NetworkShapes {
  /// Finds an IPv4 or IPv6 address. Ignores loopback and unspecified addresses, which reveal nothing.
  static func endOfAddress(_ start: SecretReader) -> Int? {
    if let end = afterIPv6(start) { return end.index }
    guard !start.isAfter("."), let end = afterIPv4(start) else { return nil }
    let address = start.text[start.index..<end.index]
    let isHarmless = address.starts(with: "127.".utf8) || address.elementsEqual("0.0.0.0".utf8)
    return isHarmless || SecretWords.isVersion(start.text, at: start.index) ? nil : end.index
  }

  /// Reads four numbers up to 255. With a fifth number or part it is something else, such as a version.
  private static func afterIPv4(_ start: SecretReader) -> SecretReader? {
    var reader = start
    for part in 0..<4 {
      guard part == 0 || reader.skip("."), let digits = reader.run(1...3, of: \.isDigit) else { return nil }
      let value = digits.reduce(0) { 10 * $0 + Int($1 & 15) }
      guard value <= 255, digits.count == 1 || digits.first != UInt8(ascii: "0") else { return nil }
    }
    var rest = reader
    let isLonger = rest.skip(".") && rest.isBefore(\.isDigit)
    return isLonger || !reader.isAtWordEnd ? nil : reader
  }

  private static func afterIPv6(_ start: SecretReader) -> SecretReader? {
    var (reader, groups, hasGap) = (start, 0, false)
    while groups < 8 {
      let before = reader
      let isGap = reader.skip("::")
      if isGap, hasGap { return nil }
      if !isGap, groups > 0, !reader.skip(":") { break }
      hasGap = hasGap || isGap
      if groups > 0 || hasGap, let end = afterIPv4(reader) {
        (groups, reader) = (groups + 2, end)
        break
      }
      if hasGap, !reader.isBefore(\.isHexDigit) {
        if !isGap { reader = before }
        break
      }
      guard reader.run(1...4, of: \.isHexDigit) != nil else { return nil }
      groups += 1
    }
    let isLoopback = groups <= 1 && start.text[start.index..<reader.index].allSatisfy { ":01".utf8.contains($0) }
    guard hasGap ? (1...7).contains(groups) : groups == 8, !isLoopback, reader.isAtWordEnd else { return nil }
    return afterZone(reader)
  }

  /// Reads a zone such as `%eth0`, if there is one.
  private static func afterZone(_ start: SecretReader) -> SecretReader {
    var reader = start
    guard reader.skip("%"), reader.isBefore(\.isAlphanumeric) else { return start }
    for _ in 0..<16 { _ = reader.take(1, of: \.isAlphanumeric) }
    return reader
  }

  /// Six pairs of hex digits with the same separator.
  static func endOfHardwareAddress(_ start: SecretReader) -> Int? {
    [":", "-"].lazy.compactMap { separator in
      var reader = start
      for pair in 0..<6 {
        guard pair == 0 || reader.skip(separator), reader.take(2, of: \.isHexDigit) != nil else { return nil }
      }
      return reader.isAtWordEnd && !reader.isBefore(separator) ? reader.index : nil
    }.first
  }
}
