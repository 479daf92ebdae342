/// A registered account as the documents say that it lives.
struct ModelAccount {
  let name: String
  /// In milliseconds; nil for one that is registered only.
  /// Increases with each enrollment in the app.
  var enrollment: Int?
  var policy: ModelTenant.Policy?
  var configuration = ModelTenant.Configuration()
  var isOfDeviceManagement = false
  /// Of its last attempt.
  var code: Int64 = 0
  var contactedAt: Int64 = 0
  /// Those in a row after which the wait grows.
  var failures = 0
  var due: Int64 = 0
  /// What an administrator wants gone, until that is done.
  var wipe: Wipe?

  enum Wipe { case once, block }

  init(_ name: String) {
    self.name = name
  }

  var isEnrolled: Bool { enrollment != nil }
  var isManaged: Bool { policy != nil }

  var life: String {
    switch code {
    case 100, 101, 103: "enrolled"
    case 205, 212: "offline"
    case 204, 206: "retrying"
    case 225: "registered"
    default: "blocked"
    }
  }

  /// Behind a wipe by an administrator who blocks the user.
  mutating func becomeBlocked(at now: Int64) {
    let lastAnswer = contactedAt
    self = ModelAccount(name)
    end(with: 226, at: now)
    contactedAt = lastAnswer
  }

  /// Meaning 6. A source that does not list the user has not answered.
  mutating func end(with code: Int64, at now: Int64, isListed: Bool = true) {
    self.code = code
    let isOffline = code == 205 || code == 212
    if !isOffline && code != 204 && code != 206 && isListed { contactedAt = now }
    failures = isOffline ? failures + 1 : 0
    let minutes: Int64 =
      switch code {
      case 100, 101, 206: 30
      case 103, 200, 225: 12 * 60
      case 205, 212: [1, 2, 4, 8, 16, 32, 60][min(failures, 7) - 1]
      default: 24 * 60
      }
    due = now + minutes * 60_000
  }
}
