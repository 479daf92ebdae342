import Testing

@testable import Model

@Suite struct VersionNumberTests {
  @Test(
    "Versions compare number by number, and missing parts count as 0",
    arguments: [
      ("14.8", "14.10", -1), ("14", "14.0.0", 0), ("15.0", "14.9.9", 1), ("1.2.3.4", "1.2.3", 1), ("01.2", "1.02", 0),
      ("2021-10-05", "2021-9-30", 1),
    ])
  func compares(left: String, right: String, order: Int) throws {
    let (left, right) = (try #require(VersionNumber(left)), try #require(VersionNumber(right)))
    #expect((left < right) == (order < 0))
    #expect((left > right) == (order > 0))
    #expect((left == right) == (order == 0))
  }

  @Test(
    "Text that is not a version number is refused",
    arguments: ["", ".", "14.", ".8", "v14", "14.8 ", "14,8", "1.-2", "99999999999"])
  func refuses(text: String) {
    #expect(VersionNumber(text) == nil)
  }

  @Test(
    "A version number is zero if all its parts are zero",
    arguments: [("0.0", true), ("0000-00-00", true), ("0.1", false)])
  func zero(text: String, isZero: Bool) {
    #expect(VersionNumber(text)?.isZero == isZero)
  }
}
