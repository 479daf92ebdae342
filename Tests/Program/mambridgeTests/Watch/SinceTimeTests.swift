import Support
import Testing

@testable import mambridge

@Suite struct SinceTimeTests {
  private static let now = Timestamp("2026-03-01T12:00:00Z") ?? Timestamp(milliseconds: 0)

  @Test(
    "--since takes a time, a date or a duration before now",
    arguments: [
      ("90s", "2026-03-01T11:58:30.000Z"), ("10m", "2026-03-01T11:50:00.000Z"), ("2h", "2026-03-01T10:00:00.000Z"),
      ("1d", "2026-02-28T12:00:00.000Z"), ("0s", "2026-03-01T12:00:00.000Z"), ("PT10M", "2026-03-01T11:50:00.000Z"),
      ("P1DT1H", "2026-02-28T11:00:00.000Z"), ("2026-01-31", "2026-01-31T00:00:00.000Z"),
      ("2026-01-31T09:30:00Z", "2026-01-31T09:30:00.000Z"), ("2026-01-31 09:30:00Z", "2026-01-31T09:30:00.000Z"),
      ("2026-01-31 09:30", "2026-01-31T09:30:00.000Z"), ("2026-01-31T09:30:05", "2026-01-31T09:30:05.000Z"),
      ("2026-01-31T09:30:00.250+02:00", "2026-01-31T07:30:00.250Z"),
    ])
  func times(_ text: String, _ expected: String) throws {
    let since = try #require(SinceTime(argument: text))
    #expect(since.time { Self.now }.description == expected)
  }

  @Test(
    "--since refuses text that is not a time, a date or a duration",
    arguments: [
      "", "yesterday", "5", "5 m", "-5m", "+5m", "m", "5w", "2026", "2026-13-01", "9999999999999999d", "1e3s",
    ])
  func refused(_ text: String) { #expect(SinceTime(argument: text) == nil) }
}
