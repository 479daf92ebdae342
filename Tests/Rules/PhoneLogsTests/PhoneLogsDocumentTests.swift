import TestSupport
import Testing

@testable import PhoneLogs

@Suite struct PhoneLogsDocumentTests {
  @Test("docs/phone-logs.md matches the tables of codes and causes")
  func document() throws {
    #expect(
      try GeneratedDocument("phone-logs.md").isCurrent(PhoneLogsDocument.text),
      "MAMBRIDGE_WRITE_DOCS=1 swift test --filter PhoneLogsDocumentTests")
  }

  @Test("Code names are unique, and causes are numbered without gaps") func rows() {
    let codes = PhoneCode.all.map(\.name), causes = PhoneCause.all.map(\.number)
    #expect(codes.count == Set(codes).count)
    #expect(causes == Array(1...causes.count))
  }

  @Test("Every code in the signature of a cause is in the table of codes", arguments: PhoneCause.all.map(\.number))
  func signatures(_ number: Int) throws {
    let cause = try #require(PhoneCause.numbered(number))
    for signature in cause.decides + cause.hints {
      for case .code(let name) in signature.all.union(signature.none) {
        #expect(PhoneCode.named(name) != nil, "\(name)")
      }
    }
  }

  @Test(
    "A status code with many possible causes never decides the cause by itself",
    arguments: ["203", "201", "200", "NOT_LICENSED", "-50000", "-50002"])
  func neverDecides(_ name: String) {
    let deciding = PhoneCause.all.filter { cause in cause.decides.contains { $0.all == [.code(name)] } }
    #expect(deciding.map(\.number) == [])
  }
}

/// docs/phone-logs.md.
enum PhoneLogsDocument {
  static var text: String {
    """
    # What a phone's log says

    This file is generated from the tables in `Sources/Rules/PhoneLogs`. A test fails if the two differ;
    `MAMBRIDGE_WRITE_DOCS=1 swift test --filter PhoneLogsDocumentTests` writes the file again.

    [`mambridge examine`](support-guide.md#the-log-of-a-phone) reads logs and dumps of the Intune SDK for iOS and Android
    with these tables, and so does the [console](console.md#phone-log). It claims a cause only if a signature in the column
    *decides* is in the input. A signature in the column *suggests* makes the cause one of at most three candidates.

    - A code that says why, such as one of Entra, wins over the status of the enrollment that it caused.
    - A later success of an account ends what failed before. Causes of earlier attempts are listed as such.
    - A code that a person asks about, denies or lists is only mentioned; so is one that may be cut at the end of the input.
    - ERROR as the level of a line means nothing.

    In sources, ios and android are the issues of microsoftconnect/ms-intune-app-sdk-ios and -android, wrap-ios and
    wrap-android those of intune-app-wrapping-tool-ios and -android, chatr and taskr those of the sample apps, msal and adal
    those of Microsoft's sign-in libraries for Objective-C, and apple those of
    Azure-Samples/ms-identity-mobile-apple-swift-objc.

    ## Causes

    | cause | decides | suggests | who acts | check | do | sources |
    | --- | --- | --- | --- | --- | --- | --- |
    \(PhoneCause.all.map(row).joined(separator: "\n"))

    ## Codes

    \(PhoneCode.Family.allCases.map(section).joined(separator: "\n\n"))

    """
  }

  private static func row(_ cause: PhoneCause) -> String {
    let hints = cause.hints.filter { !cause.decides.contains($0) }
    let cells = [
      "\(cause.number). \(cause.title)", list(cause.decides), list(hints), cause.actor.rawValue, cause.confirmation,
      cause.remedy, cause.sources,
    ]
    return "| \(cells.joined(separator: " | ")) |".replacing("<bundle>", with: "`<bundle>`")
  }

  private static func list(_ signatures: [PhoneCause.Signature]) -> String {
    signatures.map { signature in
      let needed = signature.all.map(shown).sorted().joined(separator: " with ")
      let excluded = signature.none.map(shown).sorted().joined(separator: " and ")
      return needed + (excluded.isEmpty ? "" : " without " + excluded)
    }.joined(separator: "; ")
  }

  private static func shown(_ evidence: PhoneCause.Evidence) -> String {
    if case .code(let name) = evidence { "`\(name)`" } else { evidence.text }
  }

  private static func section(_ family: PhoneCode.Family) -> String {
    let rows = PhoneCode.all.filter { $0.family == family }.map { code in
      "| `\(code.name)` | \(code.meaning ?? "not checked") | \(code.actor?.rawValue ?? "") | \(code.source) |"
    }
    return (["### \(family.title)", "", "| code | meaning | who acts | source |", "| --- | --- | --- | --- |"] + rows)
      .joined(separator: "\n")
  }
}
