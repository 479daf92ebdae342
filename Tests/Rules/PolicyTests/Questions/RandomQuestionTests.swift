import JSON
import TestSupport
import Testing

@testable import Model
@testable import Policy

/// Every question of random policies.
@Suite(.enabled(if: SharedFolder.isPresent, "the list of properties is missing")) struct RandomQuestionTests {
  private static let names: [SettingName] = {
    let list = (try? JSONValue(parsing: SharedFolder.text("facts/ios-policy-properties.json") ?? ""))?.arrayValue
    return (list ?? []).compactMap { row in
      row["name"]?.stringValue?.split(separator: " ").first.flatMap { SettingName(rawValue: String($0)) }
    }
  }()

  private static let urls = [
    "https://x.sharepoint.com/a", "http://x", "tel:1", "telprompt:1", "sms:1", "skype:eve", "itms:x", "mailto:eve",
    "text:x", "x-intunemam:x", "https://\\@*:/", "a:", "https://[::1", "https://:@/",
  ].compactMap(AbsoluteURL.init)

  @Test(
    "Every question about a random policy has an answer, and null counts as a missing setting",
    arguments: [UInt64](1...60))
  func answers(seed: UInt64) throws {
    var random = SeededGenerator(state: seed)
    var (object, withNulls): (JSONObject, JSONObject) = ([:], [:])
    for name in Self.names {
      let isSet = Bool.random(using: &random)
      let value = isSet ? name.definition.type.random(&random) : .null
      if isSet { object[name.rawValue] = value }
      withNulls[name.rawValue] = value
    }
    let (answers, answersWithNulls) = (try answers(object), try answers(withNulls))
    #expect(answers.count > 100)
    #expect(answers == answersWithNulls)
  }

  @Test("A policy with only null values restricts nothing")
  func nulls() throws {
    let object = JSONObject(Self.names.map { ($0.rawValue, .null) })
    let policy = CompiledPolicy(merging: [document(object)], platform: .ios)
    #expect(try #require(policy).effective.settings.isEmpty)
    let answers = try answers(object)
    #expect(answers == self.answers(PolicyQuestions(policy: nil, account: "alice@contoso.example")))
    #expect(!answers.filter { $0.hasPrefix("may") }.contains { $0.hasSuffix("false") })
  }

  private func document(_ object: JSONObject) -> PolicyDocument {
    var warnings: [PolicyWarning] = []
    return PolicyDocument(unchecked: object, kind: .ios, source: "x", fallbackID: "x", warnings: &warnings)
  }

  private func answers(_ object: JSONObject) throws -> [String] {
    let policy = try #require(CompiledPolicy(merging: [document(object)], platform: .ios))
    return answers(PolicyQuestions(policy: policy, account: "alice@contoso.example"))
  }

  private func answers(_ questions: PolicyQuestions) -> [String] {
    let boss: AccountReference = "boss@contoso.example"
    let accounts = FixedAccounts(policies: questions.policy.map { [boss: $0] } ?? [:])
    var answers = ["\(questions.properties(.notSet))"]
    for account in [nil, "", "alice@contoso.example", boss, "eve@home.example"] as [AccountReference?] {
      for location in SaveLocation.allCases {
        let mayBe = questions.isSaveToAllowed(location, locationAccount: account, in: accounts).value
        answers.append("may save to \(location) of \(account?.text ?? "-"): \(mayBe)")
      }
      for location in OpenLocation.allCases {
        let mayBe = questions.isOpenFromAllowed(location, locationAccount: account, in: accounts).value
        answers.append("may open from \(location) of \(account?.text ?? "-"): \(mayBe)")
      }
      answers.append(
        "may receive from \(account?.text ?? "-"): \(questions.canReceive(from: account, in: accounts).value)")
    }
    for url in Self.urls {
      for isManaged in [true, false] {
        answers.append("may hand over \(url.text): \(questions.isURLAllowed(url, toManagedApp: isManaged).value)")
      }
      answers.append("may open link \(url.text): \(questions.isUniversalLinkAllowed(url).value)")
    }
    for mode in DocumentPickerMode.allCases {
      answers.append("may show picker \(mode): \(questions.isDocumentPickerAllowed(mode).value)")
    }
    return answers
  }
}
