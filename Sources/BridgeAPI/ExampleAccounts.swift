import Model

extension Account {
  /// The account that the schema's examples speak of.
  package static let example = Account(
    accountId: "11111111-1111-4111-8111-111111111111", identity: "alice@contoso.example")
}

extension EnrollmentStatus {
  package static let exampleEnrolled = EnrollmentStatus(
    accountId: Account.example.accountId, identity: Account.example.identity, statusCode: .newPoliciesReceived)
}
