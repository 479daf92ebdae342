import JSON
import MAM
import Model

enum GetTenantStatus: WorkMethod {
  static let name = "tenant.status"
  static let summary = "Return what the policy source holds, and how and why the last check-in of each account ended."
  static let details = "The policy source is where policies come from: what --tenant names."
  typealias Params = OptionalAccount
  typealias Result = TenantStatus
  static let resultSummary = "The source as it is now, and the registered accounts."
  static let example = Example(
    Params(),
    TenantStatus(
      source: .sample, path: nil, tenantId: "c0000000-0000-4000-8000-000000000000", displayName: "Contoso",
      error: nil, users: [], accounts: []))

  static func answer(_ params: Params, on connection: BridgeConnection) throws(MAMError) -> TenantStatus {
    try connection.core.diagnostics.tenantStatus(of: params.account)
  }
}

enum CheckInTenant: WorkMethod {
  static let name = "tenant.checkIn"
  static let summary = "Check in one registered account, or all of them."
  static let details = """
    Reads the policy source again. An account that is registered but not enrolled is tried again. If the source cannot \
    be read, the last good policy stays in force. Commit point: the store transaction.
    """
  typealias Params = OptionalAccount
  typealias Result = [EnrollmentStatus]
  static let resultSummary = "How the check-in of each account ended, in order of registration."
  static let example = Example(
    Params(account: "alice@contoso.example"), Result([EnrollmentStatus.exampleEnrolled]))

  static func queue(_ params: Params) -> String? { Queue.enrollment }

  static func answer(_ params: Params, on connection: BridgeConnection) async throws(MAMError) -> [EnrollmentStatus] {
    try await connection.core.enrollment.checkInAndFollowUp(params.account)
  }
}

/// One account, or all of them.
struct OptionalAccount: Record {
  var account: AccountReference?
  static let fields = Fields(
    Self.init, Field("account", \.account, "The account; defaults to all registered accounts."))
}
