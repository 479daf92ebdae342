import Support
import Testing

@testable import MAM
@testable import Model

/// A rule, met by an account in one of the states that it can be met in.
struct LifeRow: CustomTestStringConvertible {
  let rule: LifeRule
  let from: AccountLife
  let isEnrolled: Bool

  var testDescription: String {
    "\(from), \(isEnrolled ? "enrolled" : "not enrolled"): \(rule.finding) is \(rule.code.sdkValue)"
  }

  /// Where a registered account can stand before a check-in.
  static func states(isEnrolled: Bool) -> [AccountLife] {
    [isEnrolled ? .enrolled : .registered, .retrying, .offline, .blocked]
  }

  /// Without the findings that only a source outside of this process leads to; see `SourceFindingTests` and
  /// `HeldWipeTests`.
  static let rules = LifeRule.all.filter {
    !SourceFindingTests.findings.contains($0.finding) && $0.finding != .heldWipe
  }

  static let checkIns: [LifeRow] = rules.flatMap { rule in
    [false, true].filter(rule.holds).flatMap { isEnrolled in
      states(isEnrolled: isEnrolled).map { LifeRow(rule: rule, from: $0, isEnrolled: isEnrolled) }
    }
  }
  // Who is back on the network checks in at once, and so before another account could take the place.
  .filter { $0.rule.finding != .otherAccount || $0.from != .offline }

  static let enrollments: [LifeRow] = rules.filter { $0.holds(isEnrolled: false) }
    .map { LifeRow(rule: $0, from: .unenrolled, isEnrolled: false) }
}

@Suite struct LifeRuleTests {
  @Test(
    "A check-in takes an account from each state to the one that docs/account-life.md lists",
    arguments: LifeRow.checkIns)
  func checkIn(row: LifeRow) async throws {
    let world = try LifeWorld()
    try world.bring(to: row.from, isEnrolled: row.isEnrolled)
    try world.find(row.rule.finding)
    let count = try world.fixture.events().count
    try world.checkIn()
    let event = row.isEnrolled ? "policyRequestWithStatus" : "enrollmentRequestWithStatus"
    try world.expect(row, event, row.isEnrolled ? "check in" : "enroll", after: count)
    try await world.expectEndOfWipe(row)
  }

  @Test(
    "An enrollment takes a new account to the state that docs/account-life.md lists", arguments: LifeRow.enrollments)
  func enroll(row: LifeRow) async throws {
    let world = try LifeWorld()
    try world.find(row.rule.finding)
    try world.applyNetwork()
    let count = try world.fixture.events().count
    _ = try world.core.checkIns.registerAndEnroll(.user(LifeWorld.user), with: world.tokens)
    try world.expect(row, "enrollmentRequestWithStatus", "enroll", after: count)
    try await world.expectEndOfWipe(row)
  }

  @Test("Every status code has exactly one meaning; codes of check-ins have an origin and a state")
  func codes() {
    #expect(StatusMeaning.all.map(\.code) == EnrollmentStatusCode.allCases)
    for rule in LifeRule.all {
      #expect(rule.meaning.origin != nil)
      #expect(rule.meaning.life != nil)
    }
    #expect(Set(LifeRule.all.map(\.finding)) == Set(Finding.allCases))
  }

  @Test("Every account can be unenrolled, whatever its state", arguments: [false, true])
  func unenroll(isEnrolled: Bool) throws {
    for state in LifeRow.states(isEnrolled: isEnrolled) {
      let world = try LifeWorld()
      try world.bring(to: state, isEnrolled: isEnrolled)
      let count = try world.fixture.events().count
      #expect(try world.core.unenroll(LifeWorld.user) == 104)
      #expect(try world.core.account(LifeWorld.user) == nil)
      let told =
        ["unenrollRequestWithStatus 104"] + (isEnrolled ? ["policyDidChange", "managementRemoved", "didChange"] : [])
      #expect(try world.fixture.events().dropFirst(count).map(\.summary) == told)
      #expect(try world.lastLogLine(of: "unenroll").contains("unenrollmentSuccess (104)"))
    }
  }

  @Test("A request that is impossible ends with 207, 208, 213 or 214 and changes no account")
  func hosts() throws {
    let fixture = CoreFixture()
    let core = try fixture.core()
    #expect(try core.checkIns.registerAndEnroll(nil).statusCode == .nilAccount)
    #expect(try core.unenroll("alice") == 213)
    #expect(try core.enroll("alice") == 100)
    #expect(try core.enroll("alice") == 208)
    #expect(try core.unenroll("bob") == 214)
    #expect(try core.account("alice")?.life == .enrolled)
    let codes = try fixture.events().compactMap(\.status)
    #expect(codes == [207, 213, 100, 214])
  }
}
