import JSON
import Testing

@testable import Model

@Suite struct ConfigNumberTests {
  @Test(
    "A number in JSON syntax is read exactly, as an integer if it is one and fits in 64 bits",
    arguments: [
      ("5", .integer(5)), (" -7\n", .integer(-7)), ("0", .integer(0)),
      ("9007199254740993", .integer(9_007_199_254_740_993)),
      ("9223372036854775807", .integer(.max)), ("9223372036854775808", .real(9_223_372_036_854_775_808)),
      ("1.50", .real(1.5)), ("1e2", .real(100)), ("-0.5E-1", .real(-0.05)), ("2.0", .real(2)),
    ] as [(String, ConfigNumber)])
  func reads(text: String, number: ConfigNumber) {
    #expect(ConfigNumber(text) == number)
  }

  @Test(
    "Text that is not a number in JSON syntax is not read as a configuration number",
    arguments: [
      "", " ", "+5", "05", ".5", "5.", "1e", "1e+", "0x10", "NaN", "Infinity", "1e999", "1 2", "--1", "1_000", "five",
    ])
  func refuses(text: String) {
    #expect(ConfigNumber(text) == nil)
  }

  @Test(
    "Integers and doubles in a configuration compare exactly",
    arguments: [
      (.integer(9_007_199_254_740_993), .real(9_007_199_254_740_992), false), (.integer(2), .real(2.5), true),
      (.real(-1.5), .integer(-1), true), (.integer(.max), .real(0x1p63), true), (.real(-0x1p70), .integer(.min), true),
      (.integer(2), .real(2), false),
    ] as [(ConfigNumber, ConfigNumber, Bool)])
  func compares(left: ConfigNumber, right: ConfigNumber, isLess: Bool) {
    #expect((left < right) == isLess)
  }

  @Test(
    "A configuration number is written as it was read",
    arguments: [("5", "5"), ("1.5", "1.5"), ("9223372036854775807", "9223372036854775807")])
  func writes(text: String, json: String) throws {
    #expect(try #require(ConfigNumber(text)).jsonText == json)
  }
}
