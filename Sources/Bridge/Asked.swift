import BridgeAPI
import Model

/// A call about somebody, with who that is: the account that it names, else the identity that was effective on its
/// connection when it came. Nil where no identity was set.
struct Asked<Params: Targeted>: Sendable {
  let params: Params
  let account: AccountReference?

  init(_ params: Params, on connection: BridgeConnection) {
    let target = params.target
    self.params = params
    account = target.account ?? connection.identities.effective(thread: target.thread, window: target.window)
  }
}
