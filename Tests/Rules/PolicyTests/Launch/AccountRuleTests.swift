import JSON
import Support
import Testing

@testable import Model
@testable import Policy

@Suite(.timeLimit(.minutes(5))) struct AccountRuleTests {
  @Test("A rule that blocks outranks a rule that asks for a sign-in, in whichever order they are found")
  func decisive() throws {
    let policy = #"{"organizationalCredentialsRequired": true, "minimumRequiredAppVersion": "2"}"#
    var account = LaunchAccount()
    account.isSignInFresh = false
    let findings = try LaunchRuleFixture.findings(policy, ToldDevice { $0.appVersion = "1" }, account)
    #expect(Set(findings.map(\.outcome)) == [.challenge, .block])
    for found in [findings, findings.reversed()] {
      let end = LaunchEnd(found)
      #expect(end.verdict == .block)
      #expect(end.decisive?.setting == .minimumRequiredAppVersion)
    }
  }

  private func outcome(_ policy: String, _ account: LaunchAccount) throws -> LaunchOutcome? {
    try LaunchRuleFixture.findings("{\(policy)}", ToldDevice(), account).first?.outcome
  }

  @Test(
    "A user whose sign-in is refused is blocked, or wiped if the policy says wipe",
    arguments: ["block", "wipe", "warn"], [true, false])
  func disabled(_ action: String, _ isRefused: Bool) throws {
    let outcome = try outcome(
      #""appActionIfUnableToAuthenticateUser": "\#(action)""#, LaunchAccount(isSignInRefused: isRefused))
    #expect(outcome == (isRefused ? (action == "wipe" ? .wipe : .block) : .passed))
  }

  @Test(
    "A user not known as clocked in is warned or blocked after the grace period",
    arguments: [
      (.clockedIn, 500, "PT10M", false), (.clockedOut, 0, nil, true), (.clockedOut, 9, "PT10M", false),
      (.clockedOut, 10, "PT10M", true), (.clockedOutStale, 70, "PT2H", false), (.clockedOutStale, 120, "PT2H", true),
      (.clockedInStale, 60, nil, true), (.clockedInStale, 69, "PT10M", false), (.clockedInStale, 70, "PT10M", true),
      (.unknown, 0, "PT10M", true),
    ] as [(ClockStatus, Int64, String?, Bool)])
  func clock(_ status: ClockStatus, _ minutesAgo: Int64, _ grace: String?, _ fails: Bool) throws {
    let updated = LaunchRuleFixture.now.advanced(by: -minutesAgo * 60_000)
    let entry = status == .unknown ? nil : ClockEntry(status: status, updated: updated)
    let account = LaunchAccount(clockStatus: status, clock: entry)
    let grace = grace.map { #", "gracePeriodToBlockAppsDuringOffClockHours": "\#($0)""# } ?? ""
    for (action, outcome) in [("block", LaunchOutcome.block), ("warn", .warn), ("wipe", .block)] {
      let found = try self.outcome(#""appActionIfAccountIsClockedOut": "\#(action)"\#(grace)"#, account)
      #expect(found == (fails ? outcome : .passed))
    }
  }

  @Test(
    "An account is blocked once it has been offline for the grace period; zero means no limit",
    arguments: [
      ("PT720M", 719, .passed), ("PT720M", 720, .block), ("PT12H", 721, .block), ("PT0S", 999, .notApplicable),
    ] as [(String, Int64, LaunchOutcome)])
  func grace(_ period: String, _ minutesAgo: Int64, _ expected: LaunchOutcome) throws {
    let account = LaunchAccount(contactedAgo: minutesAgo)
    #expect(try outcome(#""periodOfflineBeforeAccessCheck": "\#(period)""#, account) == expected)
  }

  @Test("An account offline for the wipe period is blocked, must then sign in, and is wiped if refused")
  func wipe() throws {
    let (policy, day) = (#""periodOfflineBeforeWipeIsEnforced": "P90D""#, Int64(24 * 60))
    let now = LaunchRuleFixture.now
    let rows: [(LaunchAccount, LaunchOutcome)] = [
      (LaunchAccount(contactedAgo: 90 * day - 1), .passed), (LaunchAccount(contactedAgo: 90 * day), .block),
      (LaunchAccount(signInDue: now), .challenge), (LaunchAccount(isSignInRefused: true, signInDue: now), .wipe),
      (LaunchAccount(signInDue: now, signedIn: now.advanced(by: -1)), .challenge),
      (LaunchAccount(signInDue: now, signedIn: now), .passed),
      (LaunchAccount(isSignInRefused: true, signInDue: now, signedIn: now), .passed),
    ]
    for (account, expected) in rows { #expect(try outcome(policy, account) == expected) }
    let zero = #""periodOfflineBeforeWipeIsEnforced": "P0D""#
    #expect(try outcome(zero, LaunchAccount(contactedAgo: 999 * day)) == .notApplicable)
  }

  @Test("Organizational credentials are asked for again once the last sign-in no longer counts")
  func credentials() throws {
    let policy = #""organizationalCredentialsRequired": true"#
    #expect(try outcome(policy, LaunchAccount(isSignInFresh: true)) == .passed)
    #expect(try outcome(policy, LaunchAccount(isSignInFresh: false)) == .challenge)
    #expect(try outcome(#""organizationalCredentialsRequired": false"#, LaunchAccount(isSignInFresh: false)) == nil)
  }
}
