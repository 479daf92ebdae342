import Testing

@testable import PhoneLogs

@Suite struct LogTimeTests {
  private func time(_ text: String) -> LogTime? { LogTime.leading(Array(text.utf8))?.time }

  @Test(
    "A time with a zone is compared as the moment that it means",
    arguments: [
      ("2026-02-02T10:00:00+02:00", "2026-02-02T08:00:00Z"), ("2026-02-02 10:00:00+0230", "2026-02-02 07:30:00Z"),
      ("2026-02-02T10:00:00-05:00", "2026-02-02T15:00:00Z"), ("10:00:00+01", "09:00:00Z"),
      ("2026-02-02T23:30:00.250-01:00", "2026-02-03T00:30:00.250Z"),
    ])
  func zone(_ text: String, _ expected: String) {
    #expect(time(text)?.milliseconds == time(expected)?.milliseconds)
    #expect(time(text)?.milliseconds != nil)
  }

  @Test(
    "Text that does not begin with a time has none",
    arguments: ["", "24:00:00", "10:60:00", "10:00", "2026-13-01 10:00:00", "2026-01-32 10:00:00", "line 10:00:00"])
  func none(_ text: String) {
    #expect(time(text)?.text == nil)
  }
}
