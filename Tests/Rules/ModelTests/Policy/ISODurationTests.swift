import Testing

@testable import Model

@Suite struct ISODurationTests {
  @Test(
    "An ISO 8601 duration is read as seconds and written in its shortest form",
    arguments: [
      ("PT12H", 43_200, "PT12H"), ("PT720M", 43_200, "PT12H"), ("P90D", 7_776_000, "P90D"), ("P0D", 0, "PT0S"),
      ("PT0S", 0, "PT0S"), ("PT30M", 1800, "PT30M"), ("P1DT6H", 108_000, "P1DT6H"), ("PT1440M", 86_400, "P1D"),
      ("P2W", 1_209_600, "P14D"), ("PT1H1M1S", 3661, "PT1H1M1S"), ("PT90S", 90, "PT1M30S"),
    ] as [(String, Int64, String)])
  func reads(text: String, seconds: Int64, canonical: String) {
    #expect(ISODuration(text)?.seconds == seconds)
    #expect(ISODuration(text)?.description == canonical)
    #expect(ISODuration(canonical) == ISODuration(text))
  }

  @Test(
    "Text that is not a supported ISO 8601 duration is refused",
    arguments: [
      "", "P", "PT", "12", "PT12", "P1M", "P1Y", "-PT5M", "PT5M1H", "P5H", "PT1.5H", "pt5m", "PT5M ", "P1DT",
      "PT99999999999999999999S", "P9223372036854775807D", "P15250284452471W99999999999999D",
      "P106751991167300DT9223372036854775807S",
    ])
  func refuses(text: String) {
    #expect(ISODuration(text) == nil)
  }

  @Test(
    "A duration in a sentence is spelled out in whole units",
    arguments: [
      ("PT0S", "0 seconds"), ("P90D", "90 days"), ("PT12H", "12 hours"), ("PT1H30M", "1 hour 30 minutes"),
      ("P1DT1M1S", "1 day 1 minute 1 second"),
    ])
  func spoken(text: String, spoken: String) {
    #expect(ISODuration(text)?.spoken == spoken)
  }

  @Test("Durations compare by length; negative ones become 0, and huge ones the maximum")
  func order() throws {
    #expect(try #require(ISODuration("PT61M")) > #require(ISODuration("PT1H")))
    #expect(ISODuration(seconds: -1).seconds == 0)
    #expect(ISODuration(seconds: .max).milliseconds == .max)
  }
}
