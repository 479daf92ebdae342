import Model
import Policy
import SQLite
import Support

/// A registered account as it is stored.
struct StoredAccount: Equatable, Sendable {
  /// The kinds of documents that the policy source sends for an account.
  enum DocumentKind: String, CaseIterable, Sendable {
    case policy, configuration, certificatePins
  }

  /// The place in the order of registration; 0 before the first save.
  var position = 0
  private(set) var account: Account
  /// The user principal name before the policy source reported another one; `nil` if it never did.
  private(set) var formerIdentity: String?
  /// `nil` until the policy source reports it.
  var tenantId: String?
  /// `nil` if the account is registered but not enrolled.
  var enrolledAt: Timestamp?
  var isMDM = false
  var status: EnrollmentStatus?
  var checkedInAt: Timestamp?
  /// When the policy source last answered about the account, whatever the answer was; `nil` if it never did.
  var contactedAt: Timestamp?
  /// The time of `contactedAt` in counted time (`StateTime`).
  var countedContactAt: Timestamp?
  /// When the next check-in is due; `nil` for at once.
  var dueAt: Timestamp?
  /// The number of consecutive check-ins that found no network.
  var failures = 0
  /// The platform for which the documents were chosen.
  var platform = DevicePlatform.ios
  /// The `DeviceRecord.revision` that the last check-in saw.
  var deviceRevision: Int64 = 0
  var clock: ClockEntry?
  /// The clock status that hosts were told last, or could read at the last check-in.
  var toldClock: ClockStatus?
  /// Whether the policy source's last answer was that the user is unknown or disabled.
  var isSignInRefused = false
  /// Whether an administrator blocks the user in this app, as the policy source last said. What says nothing about it, such
  /// as a failure or a disabled user, changes nothing.
  var isBlocked = false
  /// When the policy source answered after the app had been offline for too long. An earlier sign-in does not count.
  /// `nil` if that never happened.
  var signInDueAt: Timestamp?
  /// The last `signInDueAt` that no jump of the clock has caused. If no sign-in follows it, the data may be removed.
  var signInOwedAt: Timestamp?
  /// Increases with each answer of the policy source that is stored.
  var revision: Int64 = 0
  /// What a source outside of this process calls the documents, and for which version of this program it did so; empty
  /// if they have no name.
  var etag = ""
  var etagVersion = ""
  var documents: [DocumentKind: [String]] = [:]
  /// `nil` unless the account's data in this app is being removed.
  var wipe: StoredWipe?
  /// What the policy source last said about wipes; `nil` if they are not on hold.
  var hold: WipeHold?
  /// Why the account would be wiped if wipes were not on hold; `nil` if it would not.
  var heldWipe: WipeReason?
}

extension StoredAccount {
  /// An account of which nothing but a name is known.
  init(naming reference: AccountReference) {
    let isId = reference.kind == .objectId
    self.init(account: Account(accountId: isId ? reference.key : nil, identity: isId ? nil : reference.text))
  }

  /// Columns that were added later have a `since`.
  static let table = Table(
    "accounts", blank: StoredAccount(account: Account(accountId: nil, identity: nil))
  ) { account, column in
    column("position", &account.position, .numbered)
    account.account.visit(&column)
    column("former_identity", &account.formerIdentity, since: 14)
    column("tenant_id", &account.tenantId)
    column("enrolled_at", &account.enrolledAt)
    column("is_mdm", &account.isMDM, .hasDefault)
    account.visitStatus(&column)
    column("checked_in_at", &account.checkedInAt)
    column("contacted_at", &account.contactedAt, since: 5)
    // 0 means at once: an account stored before due times existed checks in when the state is opened.
    column("due_at", &account.dueAt, since: 5)
    column("failures", &account.failures, .hasDefault, since: 5)
    column("platform", &account.platform, .hasDefault, since: 5)
    column("device_revision", &account.deviceRevision, .hasDefault, since: 5)
    account.visitClock(&column)
    column("clock_told", &account.toldClock, since: 5)
    column("sign_in_refused", &account.isSignInRefused, .hasDefault, since: 9)
    column("sign_in_due_at", &account.signInDueAt, since: 9)
    column("revision", &account.revision, .hasDefault, since: 13)
    column("etag", &account.etag, .hasDefault, since: 13)
    column("etag_version", &account.etagVersion, .hasDefault, since: 13)
    column("counted_contact_at", &account.countedContactAt, since: 14)
    column("sign_in_owed_at", &account.signInOwedAt, since: 14)
    column("is_blocked", &account.isBlocked, .hasDefault, since: 14)
    account.visitHold(&column)
  }

  private mutating func visitStatus(_ column: inout Columns) {
    var (code, text) = (status?.statusCode, status?.errorString)
    column("status_code", &code)
    column("status_text", &text)
    status = code.map { status($0, text) }
  }

  private mutating func visitClock(_ column: inout Columns) {
    var (status, updated) = (clock?.status, clock?.updated)
    column("clock_status", &status, since: 5)
    column("clock_updated", &updated, since: 5)
    clock = status.map { ClockEntry(status: $0, updated: updated) }
  }

  private mutating func visitHold(_ column: inout Columns) {
    var (why, since) = (hold?.why ?? "", hold?.since)
    column("hold_why", &why, .hasDefault, since: 14)
    column("hold_since", &since, since: 14)
    hold = since.map { WipeHold(why: why, since: $0) }
    var (cause, detail) = (heldWipe?.cause.rawValue, heldWipe?.detail ?? "")
    column("held_wipe", &cause, since: 14)
    column("held_wipe_detail", &detail, .hasDefault, since: 14)
    heldWipe = cause.map { WipeReason(WipeCause(rawValue: $0) ?? .administrator, detail) }
  }

  /// The name under which the policy source is asked: the object id or, while it is unknown, the user principal name.
  var reference: AccountReference { AccountReference(account.accountId ?? account.identity ?? "") }

  func isNamed(_ reference: AccountReference, _ directory: AccountDirectory) -> Bool {
    AccountKey(account).isNamed(reference, directory)
  }

  /// Takes over newly known names of the account: its object id, or another user principal name.
  mutating func takeNames(from directory: AccountDirectory) {
    let known = directory.account(of: reference)
    takeNames(of: Account(accountId: known.accountId, identity: known.identity ?? account.identity))
  }

  /// Takes over the names of the account that the policy source reports.
  mutating func takeNames(of reported: Account) {
    let (before, after) = (account.identity, reported.identity)
    if let before, let after, before.lowercasedASCII != after.lowercasedASCII { formerIdentity = before }
    account = reported
  }

  func status(_ code: EnrollmentStatusCode, _ text: String? = nil) -> EnrollmentStatus {
    var status = EnrollmentStatus(account, code, text)
    status.formerIdentity = formerIdentity
    return status
  }
}

/// One document of an account.
struct StoredDocument: Sendable {
  /// The position of the account.
  var account: Int
  var kind: StoredAccount.DocumentKind
  var position: Int
  var body: String

  static let table = Table(
    "documents", blank: StoredDocument(account: 0, kind: .policy, position: 0, body: "")
  ) { document, column in
    column("account", &document.account, .key, references: "accounts(position) ON DELETE CASCADE")
    column("kind", &document.kind, .key)
    column("position", &document.position, .key)
    column("body", &document.body)
  }
}

extension StoredAccount.DocumentKind: Storable {}
extension DevicePlatform: Storable {}
extension ClockStatus: Storable {}

extension EnrollmentStatusCode: Storable {
  package var stored: Int { sdkValue }
  package init?(stored: Int) { self.init(sdkValue: stored) }
}

extension Account {
  /// Visits the two columns that name an account, in each table that has both.
  mutating func visit(_ column: inout Columns) {
    column("account_id", &accountId)
    column("identity", &identity)
  }
}
