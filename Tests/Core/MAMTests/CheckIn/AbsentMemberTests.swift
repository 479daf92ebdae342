import JSON
import Model
import Policy
import SourceProtocol
import TestSupport
import Testing

@testable import MAM
@testable import Tenancy

/// A member that an answer of a source outside of this process does not have is no instruction.
@Suite struct AbsentMemberTests {
  private let world = SourceWorld()

  private static let pin = String(repeating: "A", count: 43) + "="

  /// What each member says, as the first answer has it, and the value that takes it back.
  private static let members: [(name: String, said: String, taken: String)] = [
    ("allowedAccounts", #"["alice@contoso.example"]"#, "null"),
    ("certificatePins", #"{"mail.contoso.example": ["\#(pin)"]}"#, "{}"),
    ("mdm", #"{"user": "\#(TenantFolder.upn("alice"))", "appConfig": {"a": "b"}}"#, "null"),
    ("unknownRestrictions", #""block""#, #""report""#),
    (
      "configurations",
      ##"[{"@odata.type": "#microsoft.graph.targetedManagedAppConfiguration", "id": "A_1", "displayName": "c", "##
        + #""customSettings": [{"name": "k", "value": "v"}]}]"#, "[]"
    ),
    (
      "hiddenDefaults",
      ##"[{"@odata.type": "#microsoft.graph.defaultManagedAppProtection", "id": "D_1", "displayName": "d", "##
        + #""customSettings": [{"name": "d", "value": "e"}]}]"#, "[]"
    ),
  ]

  private func replies(_ members: [(name: String, value: String)]) throws {
    let user =
      #""user": {"id": "\#(TenantFolder.id("alice"))", "userPrincipalName": "\#(TenantFolder.upn("alice"))", "#
      + #""tenantId": "6babcaad-604b-40ac-a9d7-9fd97c0b779f"}"#
    let policy =
      ##"{"@odata.type": "#microsoft.graph.iosManagedAppProtection", "id": "T_1", "displayName": "x", "##
      + #""printBlocked": true, "future": "blocked"}"#
    let more = members.map { #", "\#($0.name)": \#($0.value)"# }.joined()
    let text = #"{"outcome": "delivered", \#(user), "policies": [\#(policy)]\#(more)}"#
    let answer = try SourceAnswer.decode(JSONDocument(parsing: text).root)
    var news = SourceNews(try TenantSnapshot(answer, .delivered))
    news.absent = answer.absentMembers
    world.source.replies(.news(news))
  }

  /// What is stored of each member.
  private func stored() throws -> [String: Bool] {
    let account = try #require(world.core.state.accounts.first)
    let keys = Set(account.appConfig.fullData.flatMap(\.names))
    return [
      "allowedAccounts": world.core.state.allowedAccounts != nil, "certificatePins": !account.certificatePins.isEmpty,
      "mdm": keys.contains("a") && world.core.state.management.isDeviceManaged,
      "unknownRestrictions": account.policy?.effective.unknownRestrictions.contains(where: \.blocks) == true,
      "configurations": keys.contains("k"), "hiddenDefaults": keys.contains("d"),
    ]
  }

  private static var all: [String: Bool] { Dictionary(uniqueKeysWithValues: members.map { ($0.name, true) }) }

  @Test(
    "A member that is absent from an answer keeps its last value, whatever the other members say",
    arguments: members.map(\.name))
  func absent(name: String) async throws {
    let said = Self.members.map { (name: $0.name, value: $0.said) }
    try replies(said)
    _ = try await world.enroll()
    #expect(try stored() == Self.all)
    try replies(said.filter { $0.name != name })
    _ = try await world.checkIn()
    #expect(try stored() == Self.all)
    let taken = Self.members.map { (name: $0.name, value: $0.taken) }
    try replies(taken.filter { $0.name != name })
    _ = try await world.checkIn()
    #expect(try stored() == Self.all.mapValues { _ in false }.merging([name: true]) { $1 })
    try replies(taken)
    _ = try await world.checkIn()
    #expect(try stored() == Self.all.mapValues { _ in false })
  }

  @Test("An answer with only policies keeps the last values of all other members") func nothingElse() async throws {
    try replies(Self.members.map { (name: $0.name, value: $0.said) })
    _ = try await world.enroll()
    try replies([])
    _ = try await world.checkIn()
    #expect(try stored() == Self.all)
  }

  @Test("A member that the source never sent is not stored") func never() async throws {
    try replies([])
    _ = try await world.enroll()
    _ = try await world.checkIn()
    #expect(try stored() == Self.all.mapValues { _ in false })
  }

  @Test(
    "A blocked user stays blocked after an answer without operations, whatever came in between",
    arguments: [nil, "unreachable", "broken", "signInNeeded", "unknown", "disabled", "deleted", "unlicensed"])
  func operations(_ between: String?) async throws {
    try replies([])
    #expect(try await world.enroll() == 100)
    try replies([("operations", #"[{"id": "o1", "type": "wipeAndBlock"}]"#)])
    #expect(try await world.checkIn() == [226])
    if let between {
      if let fault = SourceFault.Kind(rawValue: between) {
        world.source.fails(fault)
      } else {
        world.source.says(between)
      }
      #expect(try await world.checkIn() != [226])
    }
    for _ in 0..<2 {
      try replies([])
      #expect(try await world.checkIn() == [226])
    }
    try replies([("operations", "[]")])
    #expect(try await world.checkIn() == [100])
  }

  @Test("A Windows device that is no longer managed is not blocked, although its last status was 226")
  func managedWindows()
    async throws
  {
    _ = try world.core.hostDevice.store { $0.platform = .windows }
    try replies([("mdm", #"{"user": "\#(TenantFolder.upn("alice"))"}"#)])
    #expect(try await world.enroll() == 226)
    try replies([("mdm", "null")])
    let statuses = try await world.checkIn()
    // Enrolled, and the policy is for another platform.
    #expect(statuses == [225])
  }

  @Test("An absent allowedAccounts or mdm keeps the app confined to the user of the device") func confined()
    async throws
  {
    let mdm =
      #"{"user": "\#(TenantFolder.upn("alice"))", "appConfig": {"IntuneMAMAllowedAccountsOnly": "Enabled"}}"#
    try replies([("mdm", mdm)])
    _ = try await world.enroll()
    for next in [[], [("allowedAccounts", "null")], [("mdm", "null")]] as [[(name: String, value: String)]] {
      try replies(next)
      _ = try await world.checkIn()
      #expect(world.core.state.allowedAccounts?.map(\.accountId) == [TenantFolder.id("alice")])
    }
    try replies([("allowedAccounts", "null")])
    _ = try await world.checkIn()
    #expect(world.core.state.allowedAccounts == nil)
  }
}
