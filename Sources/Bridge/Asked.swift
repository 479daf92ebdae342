import BridgeAPI
import MAM
import Model

/// A call about somebody, with who that is: the account that it names, else the identity that was effective on its
/// connection when it came. Nil where no identity was set.
struct Asked<Params: Targeted>: Sendable {
  let params: Params
  let identity: EffectiveIdentity

  var account: AccountReference? { identity.account }

  init(_ params: Params, on connection: BridgeConnection) {
    let target = params.target
    self.params = params
    identity =
      target.account.map { EffectiveIdentity($0, .named) }
      ?? connection.identities.effectiveIdentity(thread: target.thread, window: target.window)
  }
}
