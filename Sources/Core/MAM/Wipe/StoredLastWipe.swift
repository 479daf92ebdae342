import JSON
import Model
import SQLite
import Support

extension Connection {
  /// The last wipe of the app; `nil` if there was none.
  var lastWipe: LastWipe? {
    get throws(SQLiteError) {
      guard let text = try fact(lastWipeName), let document = try? JSONDocument(parsing: text) else { return nil }
      return try? LastWipe.decode(document.root)
    }
  }
}

private let lastWipeName = "lastWipe"

extension LastWipe {
  /// When, why, how much and of which account, in one line.
  package func spoken(now: Timestamp) -> String {
    let state = endedAt.map { $0.distance(from: now) } ?? "not done, begun \(begunAt.distance(from: now))"
    let removed =
      isRemovedByHost ? "the host removed the data" : files == 1 ? "1 file was removed" : "\(files) files were removed"
    let account = accountId.map { "account \($0)" } ?? "an account without a known id"
    let reason = text.hasSuffix(".") ? String(text.dropLast()) : text
    return "\(state): \(account); \(reason); \(removed)"
  }
}

extension StoreTransaction {
  func noteWipe(_ wipe: LastWipe) throws(SQLiteError) {
    try connection.save(Entry(lastWipeName, wipe.jsonText), to: StoreSchema.facts)
  }

  /// Notes what a run of the account's wipe removed.
  func noteWipe(of account: StoredAccount, removing files: Int, isOver: Bool) throws(SQLiteError) {
    guard let stored = account.wipe else { return }
    let id = account.account.accountId
    let known = try connection.lastWipe.flatMap { $0.accountId == id && $0.endedAt == nil ? $0 : nil }
    var wipe = known ?? LastWipe(accountId: id, begunAt: now, cause: stored.reason.cause, text: stored.reason.text)
    wipe.files += files
    wipe.isRemovedByHost = stored.answer == .host
    if isOver { wipe.endedAt = now }
    try noteWipe(wipe)
  }
}
