import Cryptography
import Model
import SQLite
import Support
import Tenancy
import Vault

/// A wipe that an answer of the policy source requires.
struct WipeOrder: Sendable {
  let reason: WipeReason
  /// The operations that the wipe carries out, each once in the life of the store.
  let operations: [TenantOperation]

  var finding: Finding { reason.keepsRegistration ? .blockedUser : .wipe }

  var text: String { reason.keepsRegistration ? EnrollmentText.blocked : EnrollmentText.wiped }
}

extension TenantSnapshot {
  /// `nil` if no operation concerns the user in the app, apart from single wipes that were begun before. A single wipe
  /// comes before a block: it ends the registration, and the block refuses the next one.
  func wipeOrder(for user: TenantUser, in appId: String, begun: Set<BegunOperation>) -> WipeOrder? {
    let wanted = operations.filter { operation in
      self.user(for: operation.user) == user
        && (operation.app.map { $0.lowercasedASCII == appId.lowercasedASCII } ?? true)
    }
    let wipes = wanted.filter { $0.kind == .wipe && !begun.contains(BegunOperation($0)) }
    if !wipes.isEmpty { return WipeOrder(reason: .administrator(wipes.spoken), operations: wipes) }
    let blocks = wanted.filter { $0.kind == .wipeAndBlock }
    return blocks.isEmpty ? nil : WipeOrder(reason: .administratorBlock(blocks.spoken), operations: [])
  }
}

extension [TenantOperation] {
  /// When and for what they were requested; no user is named.
  fileprivate var spoken: String {
    let requests = map { operation in
      if let id = operation.id { return "\(operation.kind.rawValue), operation \(id)" }
      let time = operation.requested.isEmpty ? "" : ", requested \(operation.requested)"
      return "\(operation.kind.rawValue) in \(operation.app ?? "every app")\(time)"
    }
    return requests.joined(separator: "; ")
  }
}

/// Identifies a single wipe. It outlives the wipe, so the user is a digest, which names nobody.
struct BegunOperation: Hashable, Sendable {
  private(set) var user: String
  private(set) var app: String
  private(set) var requested: String

  init(_ operation: TenantOperation) {
    if let id = operation.id {
      (user, app, requested) = (Self.digest(of: id, "", ""), "", "")
      return
    }
    app = operation.app?.lowercasedASCII ?? "*"
    requested = operation.requested
    user = Self.digest(of: operation.user.key, app, requested)
  }

  private static let digestLength = 2 * SHA256.length

  private static func digest(of user: String, _ app: String, _ requested: String) -> String {
    let text = Array([user, app, requested].joined(separator: "\n").utf8)
    return (try? SHA256.digest(text)).map { Hex.encode($0) } ?? user
  }

  private init(user: String, app: String, requested: String) {
    (self.user, self.app, self.requested) = (user, app, requested)
  }

  /// Older versions stored the user by name.
  fileprivate var hidingUser: BegunOperation {
    if user.utf8.count == Self.digestLength { return self }
    return BegunOperation(user: Self.digest(of: user, app, requested), app: app, requested: requested)
  }

  static let table = Table(
    "begun_operations", since: 7, blank: BegunOperation(user: "", app: "", requested: "")
  ) { operation, column in
    column("user", &operation.user, .key)
    column("app", &operation.app, .key)
    column("requested", &operation.requested, .key)
  }
}

extension Connection {
  func begunOperations() throws(SQLiteError) -> Set<BegunOperation> {
    Set(try all(BegunOperation.table).map(\.hidingUser))
  }
}

extension StoreTransaction {
  func begunOperations() throws(SQLiteError) -> Set<BegunOperation> { try connection.begunOperations() }

  /// Begins the wipe, unless it is a block and this app has nothing of the account. Returns the account as it is then.
  func begin(_ order: WipeOrder, of account: StoredAccount) throws(SQLiteError) -> StoredAccount {
    for operation in order.operations {
      try connection.insert(BegunOperation(operation), ifAbsentFrom: BegunOperation.table)
      if let id = operation.id { try beginReport(on: id, of: account.account) }
    }
    if order.reason.keepsRegistration, try !hasData(account) { return account }
    try beginWipe(of: account.position, order.reason)
    return try wiping(account.position) ?? account
  }

  /// Stores operations again that name their users, with digests instead.
  func hideUsersOfOperations() throws(SQLiteError) {
    let operations = try begunOperations()
    try connection.run("DELETE FROM begun_operations")
    for operation in operations { try connection.insert(operation, ifAbsentFrom: BegunOperation.table) }
  }

  private func hasData(_ account: StoredAccount) throws(SQLiteError) -> Bool {
    if account.enrolledAt != nil { return true }
    let directory = try directory()
    return try connection.ownedFiles().contains { account.owns($0.owner, directory) }
  }
}

extension StoredAccount {
  /// Whether the data of an owner belongs to the account.
  func owns(_ owner: DataOwner, _ directory: AccountDirectory) -> Bool {
    guard let name = owner.accountId ?? owner.identity else { return false }
    return isNamed(AccountReference(name), directory)
  }
}
