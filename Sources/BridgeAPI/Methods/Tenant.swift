import JSON
import Model

package enum GetTenantStatus: Method {
  package static let name = "tenant.status"
  package static let summary = "What the policy source holds, and how the last check-in of each account ended and why."
  package typealias Params = OptionalAccount
  package typealias Result = TenantStatus
  package static let resultSummary = "The source as it is now, and the registered accounts."
  package static let errors: [APIError] = .store
  package static let example = Example(
    Params(),
    TenantStatus(
      source: .sample, path: nil, tenantId: "c0000000-0000-4000-8000-000000000000", displayName: "Contoso",
      error: nil, users: [], accounts: []))
}

package enum CheckInTenant: Method {
  package static let name = "tenant.checkIn"
  package static let summary = "Asks the policy source for news of a registered account, or of all."
  package static let details = """
    Reads the source anew. An account that is registered only is tried again. When the source cannot be read, the \
    last good policy stays in force. Commit point: the store's transaction.
    """
  package typealias Params = OptionalAccount
  package typealias Result = [EnrollmentStatus]
  package static let resultSummary = "How it ended for each account, in the order of their registration."
  package static let errors: [APIError] = .store
  package static let example = Example(
    Params(account: "alice@contoso.example"), Result([EnrollmentStatus.exampleEnrolled]))
}

/// One account, or all of them.
package struct OptionalAccount: Record {
  package var account: AccountReference?
  package static let fields = Fields(
    Self.init(account:), Field("account", \.account, "Only this account; without it all registered ones."))

  package init(account: AccountReference? = nil) {
    self.account = account
  }
}
