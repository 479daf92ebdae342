import JSON
import MAM
import Model
import Policy

/// What is fixed when a question arrives: its parameters, and the identity that it is about.
protocol Inquiry: Sendable {
  associatedtype Params: Record
  init(_ params: Params, on connection: BridgeConnection)
  var params: Params { get }
  /// `nil` if the question is about no particular account.
  var subject: EffectiveIdentity? { get }
}

/// A call about an account: the account that the call names, or else the identity that was effective on its connection
/// when the call arrived. The account is `nil` if no identity was set.
struct Asked<Params: Targeted>: Inquiry {
  let params: Params
  let identity: EffectiveIdentity

  var account: AccountReference? { identity.account }
  var subject: EffectiveIdentity? { identity }

  init(_ params: Params, on connection: BridgeConnection) {
    let target = params.target
    self.params = params
    identity =
      target.account.map { EffectiveIdentity($0, .named) }
      ?? connection.identities.effectiveIdentity(thread: target.thread, window: target.window)
  }
}

/// A question whose answer contains text for the user.
struct AskedInLanguage<Params: Targeted>: Inquiry {
  let asked: Asked<Params>
  let language: Language

  var params: Params { asked.params }
  var account: AccountReference? { asked.account }
  var subject: EffectiveIdentity? { asked.identity }

  init(_ params: Params, on connection: BridgeConnection) {
    asked = Asked(params, on: connection)
    language = connection.language
  }
}

/// A question about the app as a whole.
struct Unaddressed: Inquiry {
  let params: NoParameters
  var subject: EffectiveIdentity? { nil }

  init(_ params: NoParameters, on connection: BridgeConnection) {
    self.params = params
  }
}
