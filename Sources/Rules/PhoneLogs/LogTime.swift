import Support

/// The time that a line of a log begins with. Phones write it with or without a date, a year and a zone.
package struct LogTime: Hashable, Sendable {
  /// As the log writes it.
  package let text: String
  let form: Form
  /// Milliseconds since an origin that depends on the form.
  let milliseconds: Int64

  /// Times of one form can be compared. A log without a zone is taken for one zone.
  enum Form: Hashable { case date, dateWithoutYear, clock }

  func precedes(_ other: LogTime) -> Bool { form == other.form && milliseconds < other.milliseconds }

  /// How long after another time this one is; `nil` if the two cannot be compared, or this one is earlier.
  func seconds(since other: LogTime) -> Double? {
    guard form == other.form, milliseconds >= other.milliseconds else { return nil }
    return Double(milliseconds - other.milliseconds) / 1000
  }
}

extension LogTime {
  /// Reads the time at the beginning of a line, and returns it with the number of its bytes.
  static func leading(_ line: [UInt8]) -> (time: LogTime, length: Int)? {
    var reader = DigitReader(bytes: line[...])
    let isBracketed = reader.take("[")
    let start = reader.place
    var form = Form.clock
    var days: Int64 = 0
    var copy = reader
    if let year = copy.number(of: 4), copy.take("-"), let day = copy.monthAndDay(separator: "-") {
      (form, days, reader) = (.date, Int64(year) * 372 + day, copy)
    } else {
      copy = reader
      if let day = copy.monthAndDay(separator: "-"), copy.peek(" ") {
        (form, days, reader) = (.dateWithoutYear, day, copy)
      }
    }
    if form != .clock { guard reader.take(" ") || reader.take("T") else { return nil } }
    guard let time = reader.timeOfDay() else { return nil }
    let end = reader.place
    if isBracketed { _ = reader.take("]") }
    let text = String(decoding: line[start..<end], as: UTF8.self)
    return (LogTime(text: text, form: form, milliseconds: days * 86_400_000 + time), reader.place)
  }
}

/// Reads numbers of a fixed length.
private struct DigitReader {
  let bytes: ArraySlice<UInt8>
  var place = 0

  func peek(_ sign: Character) -> Bool { place < bytes.endIndex && bytes[place] == sign.asciiValue }

  mutating func take(_ sign: Character) -> Bool {
    guard peek(sign) else { return false }
    place += 1
    return true
  }

  mutating func number(of length: Int) -> Int? {
    guard place + length <= bytes.endIndex else { return nil }
    var value = 0
    for byte in bytes[place..<place + length] {
      guard byte.isDigit else { return nil }
      value = value * 10 + Int(byte - UInt8(ascii: "0"))
    }
    place += length
    return value
  }

  /// A number for the day that grows through a year.
  mutating func monthAndDay(separator: Character) -> Int64? {
    guard let month = number(of: 2), 1...12 ~= month, take(separator), let day = number(of: 2), 1...31 ~= day
    else { return nil }
    return Int64(month * 31 + day)
  }

  /// Milliseconds since midnight, with the zone, if there is one.
  mutating func timeOfDay() -> Int64? {
    guard let hour = number(of: 2), hour < 24, take(":"), let minute = number(of: 2), minute < 60, take(":"),
      let second = number(of: 2), second <= 60
    else { return nil }
    var milliseconds = Int64((hour * 60 + minute) * 60 + second) * 1000
    if take(".") || take(",") { milliseconds += fraction() }
    if !take("Z") { milliseconds -= zone() * 60_000 }
    return milliseconds
  }

  private mutating func fraction() -> Int64 {
    var (value, scale) = (Int64(0), Int64(100))
    while place < bytes.endIndex, bytes[place].isDigit {
      value += Int64(bytes[place] - UInt8(ascii: "0")) * scale
      scale /= 10
      place += 1
    }
    return value
  }

  /// Minutes east of UTC.
  private mutating func zone() -> Int64 {
    var copy = self
    let isWest = copy.peek("-")
    guard copy.take("+") || copy.take("-"), let hours = copy.number(of: 2) else { return 0 }
    _ = copy.take(":")
    let minutes = copy.number(of: 2) ?? 0
    self = copy
    return Int64(isWest ? -(hours * 60 + minutes) : hours * 60 + minutes)
  }
}
