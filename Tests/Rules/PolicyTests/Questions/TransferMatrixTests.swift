import Testing

@testable import Model
@testable import Policy

/// Whose data may come to whom: sender and receiver, managed or not, one account or two.
@Suite struct TransferMatrixTests {
  enum Owner: CaseIterable, Sendable { case nobody, personal, same, other }

  struct Row: Sendable, CustomTestStringConvertible {
    let receive: String?
    /// Of every managed owner.
    let send: String?
    let receiverIsManaged: Bool
    let allowed: Set<Owner>

    init(_ receiverIsManaged: Bool, receive: String?, send: String?, _ allowed: Set<Owner>) {
      self.receive = receive
      self.send = send
      self.receiverIsManaged = receiverIsManaged
      self.allowed = allowed
    }

    var testDescription: String { "receive \(receive ?? "-"), send \(send ?? "-"), managed \(receiverIsManaged)" }
  }

  static let everyone = Set(Owner.allCases)
  static let rows = [
    // The documented matrix: both directions limited to managed apps.
    Row(true, receive: "managedApps", send: "managedApps", [.same, .other]),
    Row(false, receive: "managedApps", send: "managedApps", [.nobody, .personal]),
    Row(true, receive: "allApps", send: "allApps", everyone), Row(false, receive: nil, send: "allApps", everyone),
    Row(true, receive: nil, send: nil, everyone), Row(false, receive: nil, send: nil, everyone),
    Row(true, receive: "none", send: "allApps", []), Row(true, receive: "none", send: "none", []),
    Row(true, receive: "allApps", send: "managedApps", everyone),
    Row(true, receive: "allApps", send: "none", [.nobody, .personal, .same]),
    Row(true, receive: "managedApps", send: "none", [.same]),
    Row(true, receive: "managedApps", send: nil, [.same, .other]),
    Row(false, receive: "none", send: "none", [.nobody, .personal]),
  ]

  @Test("Receiving data follows the documented matrix of sender and receiver levels", arguments: rows, Owner.allCases)
  func receive(row: Row, owner: Owner) throws {
    let alice: AccountReference = "alice@contoso.example"
    let policy = try PolicyQuestions.of(row.settings)
    let other = try #require(policy.policy)
    let accounts = FixedAccounts(
      policies: row.receiverIsManaged ? [alice: other, "boss@contoso.example": other] : ["boss@contoso.example": other])
    let questions = PolicyQuestions(policy: row.receiverIsManaged ? policy.policy : nil, account: alice)
    let decision = questions.canReceive(from: owner.reference, in: accounts)
    // An unmanaged receiver's own data is unmanaged.
    #expect(decision.value == (row.allowed.contains(owner) || !row.receiverIsManaged && owner == .same))
    if decision.party == .dataOwner { #expect(owner == .other) }
  }

  @Test("Data of no user and data without an account both count as unmanaged")
  func nobody() throws {
    let questions = try PolicyQuestions.of(#"{"allowedInboundDataTransferSources": "managedApps"}"#, account: "")
    for owner in [nil, AccountReference.noUser] {
      #expect(questions.canReceive(from: owner, in: FixedAccounts.nobody).rule == .unmanagedData)
    }
  }
}

extension TransferMatrixTests.Row {
  fileprivate var settings: String {
    func text(_ name: String, _ level: String?) -> String { "\"\(name)\": \(level.map { "\"\($0)\"" } ?? "null")" }
    return "{" + text("allowedInboundDataTransferSources", receive) + ", "
      + text("allowedOutboundDataTransferDestinations", send) + "}"
  }
}

extension TransferMatrixTests.Owner {
  fileprivate var reference: AccountReference? {
    switch self {
    case .nobody: nil
    case .personal: "eve@home.example"
    case .same: "ALICE@contoso.example"
    case .other: "boss@contoso.example"
    }
  }
}
