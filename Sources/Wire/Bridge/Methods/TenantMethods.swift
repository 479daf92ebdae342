import JSON
import MAM
import Model
import Support

enum GetTenantStatus: WorkMethod {
  static let name = "tenant.status"
  static let summary = "Return what the policy source holds, and how and why the last check-in of each account ended."
  static let details = """
    The policy source is where policies come from: what --tenant names. Users come in pages of up to `limit`, in the \
    order of the source; pass `next` as `after` to get the next page. A source that changes between two calls may \
    repeat or skip users. With `account`, only its own user is returned.
    """
  struct Params: Record {
    var account: AccountReference?
    var after: UserPosition = 0
    var limit: UserLimit = 1000
    static let fields = Fields(
      Self.init, Field("account", \.account, "The account; defaults to all registered accounts and all users."),
      Field("after", \.after, default: 0, "The `next` of the previous call; 0 for the first page."),
      Field("limit", \.limit, default: 1000, "The maximum number of users to return."))
  }
  typealias Result = TenantStatus
  static let resultSummary = "The source as it is now, and the registered accounts."
  static let example = Example(
    Params(),
    TenantStatus(
      source: .sample, path: nil, tenantId: "c0000000-0000-4000-8000-000000000000", displayName: "Contoso",
      error: nil, users: [], userCount: 0, next: nil, accounts: []))

  static func answer(_ params: Params, on connection: BridgeConnection) throws(MAMError) -> TenantStatus {
    let page = UserPage(after: Int(params.after.value), limit: Int(params.limit.value))
    return try connection.core.diagnostics.tenantStatus(of: params.account, page)
  }
}

enum CheckInTenant: WorkMethod {
  static let name = "tenant.checkIn"
  static let summary = "Check in one registered account, or all of them."
  static let details = """
    Reads the policy source again. An account that is registered but not enrolled is tried again. If the source cannot \
    be read, the last good policy stays in force. Users who must sign in at the policy source are asked, one after the \
    other, as with enrollmentManager.registerAndEnrollAccount. Commit point: the store transaction.
    """
  typealias Params = OptionalAccount
  typealias Result = [EnrollmentStatus]
  static let resultSummary = "How the check-in of each account ended, in order of registration."
  static let errors: [ErrorCode] = [.challenge]
  static let example = Example(
    Params(account: "alice@contoso.example"), Result([EnrollmentStatus.exampleEnrolled]))

  static func queue(_ params: Params) -> String? { Queue.enrollment }

  static func answer(_ params: Params, on connection: BridgeConnection) async throws(MAMError) -> [EnrollmentStatus] {
    try await connection.core.enrollment.checkInAndFollowUp(params.account)
  }
}

enum GetTimeline: WorkMethod {
  static let name = "tenant.timeline"
  static let summary = "Return what falls due until a time, without moving the clock."
  static let details = """
    For each account: the next check-in or the next step of a wipe, the limits of the time offline, the entry in the \
    time clock, the PIN, and open challenges. The times hold if nobody does anything before. A check-in can change all \
    that follows: if the policy source answers, the limits of the time offline count from then. So only the next \
    check-in of an account is listed.
    """
  struct Params: Record {
    var account: AccountReference?
    var until: Timestamp?
    static let fields = Fields(
      Self.init, Field("account", \.account, "The account; defaults to all registered accounts."),
      Field("until", \.until, "The last time to look at; defaults to 366 days from now."))
  }
  typealias Result = Timeline
  static let resultSummary = "What falls due, by time."
  static let example = Example(
    Params(),
    Timeline(
      now: Timestamp(milliseconds: 1_770_000_000_000), until: Timestamp(milliseconds: 1_801_622_400_000),
      entries: [
        DueEntry(
          time: Timestamp(milliseconds: 1_770_001_800_000), kind: .checkIn, accountId: Account.example.accountId,
          identity: Account.example.identity, text: "alice@contoso.example checks in.")
      ]))

  static func answer(_ params: Params, on connection: BridgeConnection) throws(MAMError) -> Timeline {
    try connection.core.dueTimes.timeline(of: params.account, until: params.until)
  }
}

/// One account, or all of them.
struct OptionalAccount: Record {
  var account: AccountReference?
  static let fields = Fields(
    Self.init, Field("account", \.account, "The account; defaults to all registered accounts."))
}
