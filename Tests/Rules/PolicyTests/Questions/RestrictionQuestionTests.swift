import Testing

@testable import Model
@testable import Policy

@Suite struct RestrictionQuestionTests {
  @Test(
    "hasSaveRestriction follows the outbound transfer level, then saveAsBlocked",
    arguments: [
      (#"{}"#, false, .copiesNotBlocked), (#"{"saveAsBlocked": true}"#, true, .settingDecides),
      (#"{"saveAsBlocked": true, "allowedOutboundDataTransferDestinations": "allApps"}"#, false, .allAppsAllowed),
      (#"{"saveAsBlocked": false, "allowedOutboundDataTransferDestinations": "none"}"#, true, .noAppAllowed),
      (#"{"saveAsBlocked": true, "allowedOutboundDataTransferDestinations": "managedApps"}"#, true, .settingDecides),
      (
        #"{"saveAsBlocked": false, "allowedOutboundDataTransferDestinations": "managedApps"}"#, false, .copiesNotBlocked
      ),
    ] as [(String, Bool, PolicyRule)])
  func saving(_ policy: String, _ isRestricted: Bool, _ rule: PolicyRule) throws {
    let questions = try PolicyQuestions.of(policy)
    #expect(questions.hasSaveRestriction.value == isRestricted)
    #expect(questions.hasSaveRestriction.rule == rule)
    #expect(!isRestricted || SaveLocation.allCases.contains { !isSaveAllowed(questions, $0) })
    #expect(isRestricted || SaveLocation.allCases.allSatisfy { isSaveAllowed(questions, $0) })
  }

  private func isSaveAllowed(_ questions: PolicyQuestions, _ location: SaveLocation) -> Bool {
    questions.isSaveToAllowed(location, locationAccount: nil, in: FixedAccounts.nobody).value
  }

  @Test(
    "hasOpenRestriction follows the inbound transfer level, then the ingestion setting",
    arguments: [
      (#"{}"#, false, .copiesNotBlocked),
      (#"{"blockDataIngestionIntoOrganizationDocuments": true}"#, true, .settingDecides),
      (
        #"{"blockDataIngestionIntoOrganizationDocuments": true, "allowedInboundDataTransferSources": "allApps"}"#,
        false,
        .allAppsAllowed
      ),
      (#"{"allowedInboundDataTransferSources": "none"}"#, true, .noAppAllowed),
      (
        #"{"blockDataIngestionIntoOrganizationDocuments": true, "allowedInboundDataTransferSources": "managedApps"}"#,
        true, .settingDecides
      ),
    ] as [(String, Bool, PolicyRule)])
  func opening(_ policy: String, _ isRestricted: Bool, _ rule: PolicyRule) throws {
    let questions = try PolicyQuestions.of(policy)
    #expect(questions.hasOpenRestriction.value == isRestricted)
    #expect(questions.hasOpenRestriction.rule == rule)
    let allowed = OpenLocation.allCases.map { location in
      questions.isOpenFromAllowed(location, locationAccount: nil, in: FixedAccounts.nobody).value
    }
    #expect(allowed.contains(false) == isRestricted)
  }

  @Test("An account without a policy has no save or open restriction")
  func unmanaged() {
    let questions = PolicyQuestions(policy: nil, account: "alice@contoso.example")
    #expect(!questions.hasSaveRestriction.value)
    #expect(!questions.hasOpenRestriction.value)
    #expect(questions.hasSaveRestriction.rule == .unmanaged)
    #expect(questions.hasOpenRestriction.rule == .unmanaged)
  }
}
