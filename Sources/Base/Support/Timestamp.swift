/// A moment in milliseconds since 1970-01-01T00:00:00Z; RFC 3339 in UTC on the wire.
package struct Timestamp: Hashable, Comparable, Sendable {
  package var milliseconds: Int64

  package init(milliseconds: Int64) {
    self.milliseconds = milliseconds
  }

  package static func < (left: Timestamp, right: Timestamp) -> Bool { left.milliseconds < right.milliseconds }

  /// The milliseconds from another moment to this one, clamped to the range.
  package func milliseconds(since other: Timestamp) -> Int64 {
    let (difference, overflow) = milliseconds.subtractingReportingOverflow(other.milliseconds)
    guard overflow else { return difference }
    return milliseconds < 0 ? .min : .max
  }

  /// The moment `milliseconds` later, clamped to the range.
  package func advanced(by milliseconds: Int64) -> Timestamp {
    let (sum, overflow) = self.milliseconds.addingReportingOverflow(milliseconds)
    guard overflow else { return Timestamp(milliseconds: sum) }
    return Timestamp(milliseconds: milliseconds < 0 ? .min : .max)
  }
}

extension Timestamp {
  /// Later than all other moments.
  package static let distantFuture = Timestamp(milliseconds: .max)
}

extension Timestamp {
  /// The first and the last moment that RFC 3339 can express: years 0 to 9999.
  package static let earliestText = Timestamp(milliseconds: -62_167_219_200_000)
  package static let latestText = Timestamp(milliseconds: 253_402_300_799_999)

  /// `nil` for text that is not an RFC 3339 date and time with a zone. Digits below a millisecond are dropped.
  package init?(_ text: String) {
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
  /// RFC 3339 with milliseconds, such as `2026-01-31T09:30:00.000Z`: always 24 characters. A moment outside the years 0
  /// to 9999 is written as the nearest one inside.
  package var description: String {
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

  /// Milliseconds since midnight. A leap second counts as the first second of the next minute.
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
    guard rest.first?.isDigit == true else { return nil }
    while let digit = digit() {
      value += digit * scale
      scale /= 10
    }
    return value
  }

  private mutating func digit() -> Int64? {
    guard let byte = rest.first, byte.isDigit else { return nil }
    rest.removeFirst()
    return Int64(byte - UInt8(ascii: "0"))
  }
}

/// A day of the proleptic Gregorian calendar.
package struct CivilDate: Hashable, Sendable {
  package static let millisecondsPerDay: Int64 = 86_400_000

  package var year: Int64
  package var month: Int64
  package var day: Int64

  package init(year: Int64, month: Int64, day: Int64) {
    self.year = year
    self.month = month
    self.day = day
  }

  /// Counts from 0000-03-01, so that the leap day is the last of its year (Howard Hinnant, "chrono-Compatible Low-Level
  /// Date Algorithms").
  package init(daysSinceEpoch days: Int64) {
    let (era, dayOfEra) = (days + 719_468).flooredDivision(by: 146_097)
    let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let shiftedMonth = (5 * dayOfYear + 2) / 153
    day = dayOfYear - (153 * shiftedMonth + 2) / 5 + 1
    month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
    year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
  }

  package var daysSinceEpoch: Int64 {
    let (era, yearOfEra) = (month <= 2 ? year - 1 : year).flooredDivision(by: 400)
    let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
    return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
  }

  package static func daysIn(month: Int64, of year: Int64) -> Int64 {
    switch month {
    case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
    case 4, 6, 9, 11: 30
    default: 31
    }
  }
}

extension Int64 {
  /// The quotient rounded down, and a remainder that is never negative. The divisor must be positive.
  func flooredDivision(by divisor: Int64) -> (quotient: Int64, remainder: Int64) {
    let (quotient, remainder) = quotientAndRemainder(dividingBy: divisor)
    return remainder < 0 ? (quotient - 1, remainder + divisor) : (quotient, remainder)
  }
}
