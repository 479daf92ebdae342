import Model
import SQLite
import Support

/// One reason why a screen of the SDK is up in a window: a challenge that waits for its user, or a request that asks the
/// host to show something.
struct ScreenUse: Equatable, Sendable {
  /// 0 before it is stored.
  var position: Int64 = 0
  /// "" for the app as a whole.
  var window: String
  var accountId: String?
  var identity: String?
  /// The id of the challenge; "" for a request.
  var challenge: String
  /// The owner of the screen, which may be gone.
  var owner: String
  var expires: Timestamp

  static let table = Table("screen_uses", since: 12, blank: ScreenUse.blank) { use, column in
    column("position", &use.position, .numbered)
    column("window", &use.window)
    column("account_id", &use.accountId)
    column("identity", &use.identity)
    column("challenge", &use.challenge)
    column("owner", &use.owner)
    column("expires", &use.expires)
  }

  private static var blank: ScreenUse { ScreenUse(window: "", challenge: "", owner: "", expires: .never) }

  var isRequest: Bool { challenge.isEmpty }

  /// What events report.
  var notice: ScreenNotice {
    ScreenNotice(accountId: accountId, identity: identity, window: window.isEmpty ? nil : window)
  }
}

extension Connection {
  func screenUses() throws(SQLiteError) -> [ScreenUse] { try all(ScreenUse.table, "ORDER BY position") }

  /// The ids of the challenges that wait for an answer.
  func openChallenges(at now: Timestamp) throws(SQLiteError) -> Set<String> {
    let sql = "SELECT id FROM challenges WHERE outcome = '' AND expires > ?"
    return Set(try query(sql, now.milliseconds) { row in try row.value(0, as: String.self) })
  }
}

extension StoreTransaction {
  /// Replaces the uses, and sends an event for each window whose first use began or whose last use ended.
  func replace(_ before: [ScreenUse], by after: [ScreenUse]) throws(SQLiteError) {
    for use in before where !after.contains(use) {
      try connection.run("DELETE FROM screen_uses WHERE position = ?", use.position)
    }
    for use in after where use.position == 0 { try connection.insert(use, into: ScreenUse.table) }
    for use in before.firstOfWindows where !after.contains(where: { $0.window == use.window }) {
      try append(.sdkDidReleaseUI(use.notice))
    }
    for use in after.firstOfWindows where !before.contains(where: { $0.window == use.window }) {
      try append(.sdkDidTakeOverUI(use.notice))
    }
  }
}

extension [ScreenUse] {
  /// The oldest use of each window, whose account the events report.
  fileprivate var firstOfWindows: [ScreenUse] {
    var windows: Set<String> = []
    return filter { windows.insert($0.window).inserted }
  }
}
