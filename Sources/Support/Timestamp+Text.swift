extension Timestamp {
  /// The first and the last moment that RFC 3339 can write: years 0 to 9999.
  package static let earliestText = Timestamp(milliseconds: -62_167_219_200_000)
  package static let latestText = Timestamp(milliseconds: 253_402_300_799_999)

  /// Nil for text that is not an RFC 3339 date and time with a zone. Digits below a millisecond are cut off.
  public init?(_ text: String) {
    var scanner = DigitScanner(text)
    guard let year = scanner.number(4), scanner.skip("-"), let month = scanner.number(2), scanner.skip("-"),
      let day = scanner.number(2), scanner.skip("T", "t"), let time = scanner.timeOfDay(),
      let offset = scanner.zoneOffset(), scanner.isAtEnd,
      (1...12).contains(month), (1...CivilDate.daysIn(month: month, of: year)).contains(day)
    else { return nil }
    let days = CivilDate(year: year, month: month, day: day).daysSinceEpoch
    milliseconds = days * CivilDate.millisecondsPerDay + time - offset
  }
}

extension Timestamp: CustomStringConvertible {
  /// RFC 3339 with milliseconds, such as `2026-01-31T09:30:00.000Z`: always 24 characters. A moment outside the years
  /// 0 to 9999 is written as the nearest one inside.
  public var description: String {
    let clamped = min(max(self, .earliestText), .latestText).milliseconds
    let (days, time) = clamped.flooredDivision(by: CivilDate.millisecondsPerDay)
    let date = CivilDate(daysSinceEpoch: days)
    let (minutes, milliseconds) = time.flooredDivision(by: 60_000)
    return String(unsafeUninitializedCapacity: 24) { buffer in
      var writer = DigitWriter(buffer: buffer)
      writer.write(date.year, digits: 4, then: "-")
      writer.write(date.month, digits: 2, then: "-")
      writer.write(date.day, digits: 2, then: "T")
      writer.write(minutes / 60, digits: 2, then: ":")
      writer.write(minutes % 60, digits: 2, then: ":")
      writer.write(milliseconds / 1000, digits: 2, then: ".")
      writer.write(milliseconds % 1000, digits: 3, then: "Z")
      return writer.count
    }
  }
}

private struct DigitWriter {
  let buffer: UnsafeMutableBufferPointer<UInt8>
  var count = 0

  mutating func write(_ value: Int64, digits: Int, then separator: Unicode.Scalar) {
    var rest = value
    for index in (count..<count + digits).reversed() {
      buffer[index] = UInt8(ascii: "0") + UInt8(rest % 10)
      rest /= 10
    }
    count += digits
    buffer[count] = UInt8(ascii: separator)
    count += 1
  }
}

private struct DigitScanner {
  private var rest: Substring.UTF8View

  init(_ text: String) { rest = Substring(text).utf8 }

  var isAtEnd: Bool { rest.isEmpty }

  mutating func skip(_ choices: Unicode.Scalar...) -> Bool {
    guard let byte = rest.first, choices.contains(Unicode.Scalar(byte)) else { return false }
    rest.removeFirst()
    return true
  }

  mutating func number(_ digits: Int) -> Int64? {
    var value: Int64 = 0
    for _ in 0..<digits {
      guard let digit = digit() else { return nil }
      value = value * 10 + digit
    }
    return value
  }

  /// Milliseconds since midnight; a leap second counts as the first one of the next minute.
  mutating func timeOfDay() -> Int64? {
    guard let hour = number(2), skip(":"), let minute = number(2), skip(":"), let second = number(2),
      hour < 24, minute < 60, second <= 60, let fraction = fraction()
    else { return nil }
    return ((hour * 60 + minute) * 60 + second) * 1000 + fraction
  }

  /// Milliseconds east of UTC.
  mutating func zoneOffset() -> Int64? {
    if skip("Z", "z") { return 0 }
    let sign: Int64 = rest.first == UInt8(ascii: "-") ? -1 : 1
    guard skip("+", "-"), let hour = number(2), skip(":"), let minute = number(2), hour < 24, minute < 60 else {
      return nil
    }
    return sign * (hour * 60 + minute) * 60_000
  }

  private mutating func fraction() -> Int64? {
    guard skip(".") else { return 0 }
    var value: Int64 = 0
    var scale: Int64 = 100
    guard rest.first.map(isDigit) == true else { return nil }
    while let digit = digit() {
      value += digit * scale
      scale /= 10
    }
    return value
  }

  private mutating func digit() -> Int64? {
    guard let byte = rest.first, isDigit(byte) else { return nil }
    rest.removeFirst()
    return Int64(byte - UInt8(ascii: "0"))
  }

  private func isDigit(_ byte: UInt8) -> Bool { byte &- UInt8(ascii: "0") < 10 }
}
