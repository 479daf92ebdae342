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
struct Addressed<Params: Targeted>: Inquiry {
  let params: Params
  let identity: EffectiveIdentity

  var account: AccountReference? { identity.account }
  /// The view that the call is about instead of one account.
  var view: SharedView? { identity.view }
  var subject: EffectiveIdentity? { identity }

  init(_ params: Params, on connection: BridgeConnection) {
    let target = params.target
    self.params = params
    identity =
      target.accounts.map { EffectiveIdentity(naming: $0) }
      ?? target.account.map { EffectiveIdentity($0, .named) }
      ?? connection.identities.effectiveIdentity(thread: target.thread, window: target.window)
  }
}

extension EffectiveIdentity {
  /// The accounts that a call names in place of one. A single account is no view, and an empty list is no user.
  fileprivate init(naming accounts: [AccountReference]) {
    if accounts.count > 1 {
      self.init(SharedView(accounts), .named)
    } else {
      self.init(accounts.first ?? .noUser, .named)
    }
  }
}

/// A question whose answer contains text for the user.
struct AddressedInLanguage<Params: Targeted>: Inquiry {
  let asked: Addressed<Params>
  let language: Language

  var params: Params { asked.params }
  var account: AccountReference? { asked.account }
  var view: SharedView? { asked.view }
  var subject: EffectiveIdentity? { asked.identity }

  init(_ params: Params, on connection: BridgeConnection) {
    asked = Addressed(params, on: connection)
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
