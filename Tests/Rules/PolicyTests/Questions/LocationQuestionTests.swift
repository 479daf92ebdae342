import Testing

@testable import Model
@testable import Policy

@Suite struct LocationQuestionTests {
  static let blocked = """
    {"allowedOutboundDataTransferDestinations": "managedApps", "saveAsBlocked": true,
     "allowedDataStorageLocations": ["oneDriveForBusiness", "box", "localStorage", "photoLibrary", "egnyte"]}
    """
  static let closed = """
    {"allowedInboundDataTransferSources": "managedApps", "blockDataIngestionIntoOrganizationDocuments": true,
     "allowedDataIngestionLocations": ["sharePoint", "camera", "photoLibrary"]}
    """

  @Test(
    "With saveAsBlocked, an account saves only to listed locations and to its own",
    arguments: [
      (.oneDriveForBusiness, "alice@contoso.example", true, .listedForOwnAccount),
      (.oneDriveForBusiness, nil, false, .needsAccount), (.oneDriveForBusiness, "", false, .needsAccount),
      (.oneDriveForBusiness, "eve@contoso.example", false, .notOwnAccount),
      (.sharePoint, "alice@contoso.example", false, .notListed),
      (.box, "alice@contoso.example", true, .listedForOwnAccount),
      (.egnyte, "alice@contoso.example", true, .listedForOwnAccount), (.egnyte, nil, false, .needsAccount),
      (.egnyte, "eve@contoso.example", false, .notOwnAccount), (.iManage, "alice@contoso.example", false, .notListed),
      (.localDrive, "alice@contoso.example", true, .ownAccount), (.localDrive, nil, true, .listedWithoutAccount),
      (.localDrive, "eve@contoso.example", false, .notOwnAccount),
      (.accountDocument, "alice@contoso.example", true, .ownAccount), (.accountDocument, nil, false, .needsAccount),
      (.cameraRoll, nil, true, .listedWithoutAccount), (.cameraRoll, "alice@contoso.example", false, .takesNoAccount),
      (.other, "alice@contoso.example", false, .locationNeverAllowed), (.dropbox, nil, false, .locationNeverAllowed),
      (.googleDrive, "alice@contoso.example", false, .locationNeverAllowed),
    ] as [(SaveLocation, AccountReference?, Bool, PolicyRule)])
  func saving(location: SaveLocation, account: AccountReference?, isAllowed: Bool, rule: PolicyRule) throws {
    let questions = try PolicyQuestions.of(Self.blocked)
    let decision = questions.isSaveToAllowed(location, locationAccount: account, in: FixedAccounts.nobody)
    #expect(decision.value == isAllowed)
    #expect(decision.rule == rule)
    #expect(decision.setting != nil)
  }

  @Test(
    "With data ingestion blocked, an account opens only from listed locations and from its own",
    arguments: [
      (.sharePoint, "alice@contoso.example", true, .listedForOwnAccount), (.sharePoint, nil, false, .needsAccount),
      (.oneDriveForBusiness, "alice@contoso.example", false, .notListed), (.camera, nil, true, .listedWithoutAccount),
      (.photos, "", true, .listedWithoutAccount), (.photos, "alice@contoso.example", false, .takesNoAccount),
      (.localStorage, "alice@contoso.example", true, .ownAccount), (.localStorage, nil, false, .notListed),
      (.accountDocument, "alice@contoso.example", true, .ownAccount),
      (.accountDocument, "eve@contoso.example", false, .notOwnAccount), (.other, nil, false, .locationNeverAllowed),
      (.box, "alice@contoso.example", false, .notListed), (.iManage, "alice@contoso.example", false, .notListed),
      (.egnyte, nil, false, .notListed),
    ] as [(OpenLocation, AccountReference?, Bool, PolicyRule)])
  func opening(location: OpenLocation, account: AccountReference?, isAllowed: Bool, rule: PolicyRule) throws {
    let questions = try PolicyQuestions.of(Self.closed)
    let decision = questions.isOpenFromAllowed(location, locationAccount: account, in: FixedAccounts.nobody)
    #expect(decision.value == isAllowed)
    #expect(decision.rule == rule)
  }

  @Test(
    "The transfer levels allApps and none override the settings that block saving and opening",
    arguments: [
      ("allApps", true, true, true), ("none", false, false, false), ("none", true, false, false),
      ("managedApps", false, true, true), ("managedApps", true, false, false),
    ])
  func levels(level: String, isBlocked: Bool, save: Bool, open: Bool) throws {
    let questions = try PolicyQuestions.of(
      """
      {"allowedOutboundDataTransferDestinations": "\(level)", "saveAsBlocked": \(isBlocked),
       "allowedInboundDataTransferSources": "\(level)", "blockDataIngestionIntoOrganizationDocuments": \(isBlocked)}
      """)
    #expect(questions.isSaveToAllowed(.other, locationAccount: nil, in: FixedAccounts.nobody).value == save)
    #expect(questions.isOpenFromAllowed(.other, locationAccount: nil, in: FixedAccounts.nobody).value == open)
  }

  struct Pair: Sendable {
    let settings: String
    let save: Bool
    let open: Bool
  }

  @Test(
    "The policy of another managed account that owns a location must allow saving and opening too",
    arguments: [
      Pair(settings: "{}", save: true, open: true),
      Pair(settings: #"{"allowedOutboundDataTransferDestinations": "none"}"#, save: true, open: false),
      Pair(settings: #"{"allowedInboundDataTransferSources": "none"}"#, save: false, open: true),
      Pair(settings: blocked, save: true, open: false), Pair(settings: closed, save: false, open: true),
    ])
  func otherAccount(pair: Pair) throws {
    let other = try PolicyQuestions.of(pair.settings, account: "boss@contoso.example")
    let accounts = FixedAccounts(policies: ["boss@contoso.example": try #require(other.policy)])
    for owner in ["", "someone@home.example", nil] as [AccountReference?] {
      let questions = PolicyQuestions(policy: nil, account: owner)
      let save = questions.isSaveToAllowed(.oneDriveForBusiness, locationAccount: "boss@contoso.example", in: accounts)
      let open = questions.isOpenFromAllowed(.sharePoint, locationAccount: "BOSS@contoso.example", in: accounts)
      #expect(save.value == pair.save)
      #expect(save.party == .locationAccount)
      #expect(open.value == pair.open)
      #expect(open.party == .locationAccount)
    }
  }

  @Test(
    "An account may open its own files from Box, iManage or Egnyte if the policy lists the service",
    arguments: ["box", "iManage", "egnyte"])
  func futureLists(name: String) throws {
    let questions = try PolicyQuestions.of(
      #"{"blockDataIngestionIntoOrganizationDocuments": true, "allowedDataIngestionLocations": ["\#(name)"]}"#)
    let location = try #require(OpenLocation(rawValue: name))
    func rule(_ account: AccountReference?) -> PolicyRule {
      questions.isOpenFromAllowed(location, locationAccount: account, in: FixedAccounts.nobody).rule
    }
    #expect(rule("alice@contoso.example") == .listedForOwnAccount)
    #expect(rule("eve@contoso.example") == .notOwnAccount)
    #expect(rule(nil) == .needsAccount)
  }

  @Test("A location named by the object id of the account counts as the account's own")
  func ownAccountByObjectId() throws {
    let id: AccountReference = "87d349ed-44d7-43e1-9a83-5f2406dee5bd"
    let questions = try PolicyQuestions.of(Self.blocked)
    let accounts = FixedAccounts(
      policies: ["alice@contoso.example": try #require(questions.policy)],
      userPrincipalNames: [id: "alice@contoso.example"])
    #expect(questions.isSaveToAllowed(.box, locationAccount: id, in: accounts).rule == .listedForOwnAccount)
  }
}
