import Support
import Testing

@Suite struct TimestampTests {
  static let exact: [(String, Int64)] = [
    ("1970-01-01T00:00:00.000Z", 0),
    ("1969-12-31T23:59:59.999Z", -1),
    ("2026-01-31T09:30:00.001Z", 1_769_851_800_001),
    ("2000-02-29T12:00:00.999Z", 951_825_600_999),
    ("1900-03-01T00:00:00.000Z", -2_203_891_200_000),
    ("0000-01-01T00:00:00.000Z", -62_167_219_200_000),
    ("9999-12-31T23:59:59.999Z", 253_402_300_799_999),
  ]

  @Test("A timestamp is written in RFC 3339 with milliseconds and reads back unchanged", arguments: exact)
  func roundTrip(text: String, milliseconds: Int64) {
    #expect(Timestamp(milliseconds: milliseconds).description == text)
    #expect(Timestamp(text)?.milliseconds == milliseconds)
  }

  static let readable: [(String, String)] = [
    ("2026-01-31T09:30:00Z", "2026-01-31T09:30:00.000Z"),
    ("2026-01-31t09:30:00z", "2026-01-31T09:30:00.000Z"),
    ("2026-01-31T09:30:00.5Z", "2026-01-31T09:30:00.500Z"),
    ("2026-01-31T09:30:00.123456789123456789123Z", "2026-01-31T09:30:00.123Z"),
    ("2026-01-31T09:30:00.9999Z", "2026-01-31T09:30:00.999Z"),
    ("2026-01-31T09:30:00+02:30", "2026-01-31T07:00:00.000Z"),
    ("2026-01-01T00:30:00+01:00", "2025-12-31T23:30:00.000Z"),
    ("2026-01-31T23:30:00-01:00", "2026-02-01T00:30:00.000Z"),
    ("2026-01-31T09:30:00-00:00", "2026-01-31T09:30:00.000Z"),
    ("2016-12-31T23:59:60Z", "2017-01-01T00:00:00.000Z"),
  ]

  @Test("A timestamp is read with fractions, time zones and leap seconds", arguments: readable)
  func reads(text: String, expected: String) {
    #expect(Timestamp(text)?.description == expected)
  }

  static let unreadable = [
    "", "2026", "2026-01-31", "2026-01-31T09:30:00", "2026-01-31 09:30:00Z", "2026-1-31T09:30:00Z",
    "2026-13-01T00:00:00Z", "2026-00-01T00:00:00Z", "2026-02-29T00:00:00Z", "2026-04-31T00:00:00Z",
    "2026-01-00T00:00:00Z", "2026-01-31T24:00:00Z", "2026-01-31T09:60:00Z", "2026-01-31T09:30:61Z",
    "2026-01-31T09:30:00.Z", "2026-01-31T09:30:00ZZ", "2026-01-31T09:30:00+0100", "2026-01-31T09:30:00+24:00",
    " 2026-01-31T09:30:00Z", "+2026-01-31T09:30:00Z", "12026-01-31T09:30:00Z", "2026-01-31T09:30:0\u{FF11}Z",
  ]

  @Test("Text that is not an RFC 3339 timestamp is refused", arguments: unreadable)
  func refuses(text: String) {
    #expect(Timestamp(text) == nil)
  }

  @Test("A timestamp beyond years 0 to 9999 is written as the nearest one within")
  func farYears() {
    #expect(Timestamp(milliseconds: .max).description == "9999-12-31T23:59:59.999Z")
    #expect(Timestamp(milliseconds: .min).description == "0000-01-01T00:00:00.000Z")
  }

  @Test("Every day of four centuries follows the one before and converts back to the same day number")
  func calendar() {
    var previous = CivilDate(daysSinceEpoch: -135_141)
    for day in Int64(-135_140)...11_000 {
      let date = CivilDate(daysSinceEpoch: day)
      #expect(date.daysSinceEpoch == day)
      let isNextDay = date.month == previous.month && date.day == previous.day + 1
      let wasLast = previous.day == CivilDate.daysIn(month: previous.month, of: previous.year)
      #expect(isNextDay || (wasLast && date.day == 1))
      previous = date
    }
  }

  @Test("Advancing a timestamp stops at the ends of its range")
  func advancing() {
    #expect(Timestamp(milliseconds: 5).advanced(by: -7).milliseconds == -2)
    #expect(Timestamp(milliseconds: .max - 1).advanced(by: 5).milliseconds == .max)
    #expect(Timestamp(milliseconds: .min + 1).advanced(by: -5).milliseconds == .min)
    #expect(Timestamp(milliseconds: 1) < Timestamp(milliseconds: 2))
  }
}
