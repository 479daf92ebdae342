import JSON
import Policy
import Testing

@testable import PhoneLogs

@Suite struct ExaminationTests {
  @Test("examine lists codes by time, with the account and the number of repetitions in a row")
  func entries() {
    let examination = examine(
      """
      2026-01-05T10:00:02.000Z ERRO IntuneMAM: \(alice) Enrollment failed with status code 203 and error code 0
      2026-01-05T10:00:02.100Z INFO IntuneMAM: \(alice) Received enrollment result of 203
      2026-01-05T10:00:01.000Z ERRO IntuneMAM: \(bob) AADSTS650057: Invalid resource
      """)
    #expect(examination.entries.map(\.code.name) == ["AADSTS650057", "203"])
    #expect(examination.entries.map(\.count) == [1, 2])
    #expect(examination.entries.map(\.account) == [2, 1])
    #expect(examination.entries.map(\.line) == [3, 1])
  }

  @Test(
    "examine lists an Entra code without a verified meaning, and gives it no meaning",
    arguments: ["AADSTS53005", "AADSTS99999"])
  func unchecked(_ name: String) {
    let entry = examine("\(name): text\n").entries.first
    #expect(entry?.code.name == name)
    #expect(entry?.code.meaning == nil)
  }

  @Test("examine lists the causes of two failed attempts in order and marks the newest as current")
  func attempts() {
    let claims = examine(
      """
      2026-01-05T10:00:00.000Z ERRO IntuneMAM: AADSTS65001: no consent
      2026-01-05T10:00:00.100Z ERRO IntuneMAM: Enrollment failed with status code 203 and error code 0
      2026-01-05T11:00:00.000Z ERRO IntuneMAM: Enrollment failed with status code 225 and error code 0
      """
    ).verdict.claims
    #expect(claims.map(\.cause.number) == [5, 1])
    #expect(claims.map(\.isCurrent) == [false, true])
    #expect(claims.map(\.line) == [1, 3])
  }

  @Test("examine does not explain a new failure by the cause of an earlier failure with another status")
  func laterAttempt() {
    let verdict = examine(
      """
      2026-01-05T10:00:00.000Z ERRO IntuneMAM: AADSTS65001: no consent
      2026-01-05T10:00:00.100Z ERRO IntuneMAM: Enrollment failed with status code 203 and error code 0
      2026-01-05T11:00:00.000Z ERRO IntuneMAM: Enrollment failed with status code 201 and error code 0
      """
    ).verdict
    #expect(verdict.claims.map(\.isCurrent) == [false])
    #expect(verdict.candidates.map(\.number) == [14])
  }

  @Test("examine explains a repeated status by the cause found for its first occurrence")
  func repeatedStatus() {
    let verdict = examine(
      """
      2026-01-05T10:00:00.000Z ERRO IntuneMAM: AADSTS65001: no consent
      2026-01-05T10:00:00.100Z ERRO IntuneMAM: Enrollment failed with status code 203 and error code 0
      2026-01-05T10:00:01.000Z INFO IntuneMAM: \(bob) is another account
      2026-01-05T10:30:00.000Z ERRO IntuneMAM: Enrollment failed with status code 203 and error code 0
      """
    ).verdict
    #expect(verdict.claims.map(\.isCurrent) == [true])
  }

  @Test("examine reports the failure of an account even if another account succeeds")
  func accounts() {
    let text = """
      2026-01-05T10:00:00.000Z ERRO IntuneMAM: \(alice) Enrollment failed with status code 225 and error code 0
      2026-01-05T10:00:01.000Z INFO IntuneMAM: \(bob) Received enrollment result of 100
      """
    #expect(examine(text).verdict.claims.map(\.cause.number) == [1])
    let healed = text.replacing(bob, with: alice)
    #expect(examine(healed).verdict.claims.map(\.cause.number) == [])
  }

  @Test("examine ignores status numbers in log lines of other programs")
  func otherPrograms() {
    let verdict = examine(
      """
      2026-01-05T10:00:00.000Z INFO IntuneMAM: the app starts
      2026-01-05T10:00:00.100Z ERRO Database: error code: 214
      01-05 10:00:00.200 3067-3067/com.example.notes E/Player: status = 225
      Error Domain=NSURLErrorDomain Code=227 "(null)"
      """
    ).verdict
    #expect(verdict.claims.map(\.cause.number) == [])
  }

  @Test("After an unenrollment, examine no longer reports an earlier failure as current")
  func unenrolled() {
    let verdict = examine(
      """
      2026-01-05T10:00:00.000Z ERRO IntuneMAM: Enrollment failed with status code 225 and error code 0
      2026-01-05T10:00:01.000Z INFO IntuneMAM: Received enrollment result of 104
      """
    ).verdict
    #expect(verdict.claims.map(\.isCurrent) == [false])
  }

  @Test("examine reads complete and truncated policies of iOS, Android and Graph")
  func policies() {
    let examination = examine(
      #"""
      IntuneMAM: {"IntuneMAMPolicies": {"PINEnabled": "1", "AccessRecheckOnlineTimeout": ""}, "IntuneMAMPolicyVersion": 7}
      I/MAMClientImpl: Received policy [policyTemplateVersion = 1.10, pinEnabled = true, restrictScreenshots = false]
      {
        "@odata.type": "#microsoft.graph.iosManagedAppProtection",
        "pinRequired": true,
        "saveAsBlocked": true,
        "printBl
      """#)
    #expect(examination.policies.map(\.kind) == [.ios, .android, .ios])
    #expect(examination.policies.map { $0.settings[.pinRequired]?.boolValue } == [true, true, true])
    #expect(examination.policies.map(\.isCut) == [false, false, true])
    #expect(examination.policies.map(\.line) == [1, 2, 3])
  }

  @Test("An empty text setting in a dump causes no warning")
  func emptyText() {
    let policy = examine(#"{"com.example.notes.MAMPolicies": {"PINEnabled": "1", "MinimumOSVersion": ""}}"#).policies
      .first
    #expect(policy?.warnings.count == 0)
  }

  @Test("examine reads targeting, enrollment, last check-in and configuration names from a dump")
  func dump() throws {
    let examination = examine(
      """
      { AppConfig = { server = "https://mail.contoso.example"; };
        "EMM-UPN" = "<null>"; MDMEnrolledUser = <null>; EnrollmentCompleted = 1;
        LastPolicyCheckInCompletedTimeStamp = "757382400.5"; RegisteredAccountsNotTargeted = ( a ); }
      """)
    let dump = try #require(examination.dumps.first)
    #expect(dump.accountsNotTargeted == 1)
    #expect(dump.isEnrollmentComplete == true)
    #expect(dump.lastCheckIn?.description == "2025-01-01T00:00:00.500Z")
    #expect(examination.configurations.map(\.names) == [["server"]])
    #expect(examination.verdict.candidates.map(\.number).first == 1)
  }

  @Test("Replacements substitutes names, ids, hosts and addresses, and equal values in the same way")
  func replacements() {
    var replacements = Replacements()
    let text = """
      Alice@Contoso.com, alice@contoso.com; 87d349ed-44d7-43e1-9a83-5f2406dee5bd https://contoso.sharepoint.com/sites/x \
      10.1.2.3 fe80:0:0:1 mail.contoso.com 14.0.1
      """
    #expect(
      replacements.replaced(text) == """
        user1@contoso.example, user1@contoso.example; a11ce000-0000-4000-8000-000000000001 \
        https://address1.contoso.example host1.contoso.example host2.contoso.example host3.contoso.example 14.0.1
        """)
  }

  @Test("examine reads a very long line in pieces and limits the number of findings it keeps")
  func long() {
    var (examiner, splitter) = (Examiner(), LineSplitter())
    let words = "Enrollment failed with status code 203 and error code 0; AADSTS65001: {} "
    let line = "IntuneMAM: " + String(repeating: words, count: 4_000)
    for _ in 0..<4 { splitter.add(line.utf8) { examiner.add($0, mayBeCut: !$1) } }
    splitter.finish { examiner.add($0, mayBeCut: !$1) }
    let examination = examiner.finish()
    #expect(examination.lineCount == 5)
    #expect(examination.entries.count <= 500)
    #expect(examination.omitted > 10_000)
  }
}
