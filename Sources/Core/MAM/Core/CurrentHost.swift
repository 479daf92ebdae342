import Model
import Support

/// The host that answers what only the app or its user can answer. Initially there is none.
final class CurrentHost: Sendable {
  private let host: Lock<any Host>

  init(_ host: any Host = NoHost()) {
    self.host = Lock(host)
  }

  var current: any Host { host.withLock { $0 } }

  func set(_ new: any Host) {
    host.withLock { $0 = new }
  }
}

/// The identity that any host has set for this process; `nil` for none. Kept only while the process runs.
final class ProcessIdentity: Sendable {
  private let identity = Lock<AccountReference?>(nil)

  var reference: AccountReference? { identity.withLock { $0 } }

  func set(_ new: AccountReference?) {
    identity.withLock { $0 = new }
  }
}
