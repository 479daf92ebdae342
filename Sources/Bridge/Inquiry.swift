import BridgeAPI
import JSON
import MAM

/// What is settled of a question when it comes: its parameters, and whom it is about.
protocol Inquiry: Sendable {
  associatedtype Params: Record
  var params: Params { get }
  /// Nil for a question that is about nobody in particular.
  var subject: EffectiveIdentity? { get }
}

extension Asked: Inquiry {
  var subject: EffectiveIdentity? { identity }
}

/// A question whose answer holds words for the user.
struct AskedInLanguage<Params: Targeted>: Inquiry {
  let asked: Asked<Params>
  let language: Language

  init(_ params: Params, on connection: BridgeConnection) {
    asked = Asked(params, on: connection)
    language = connection.language
  }

  var params: Params { asked.params }
  var subject: EffectiveIdentity? { asked.identity }
}

/// A question about the app as a whole.
struct Unaddressed: Inquiry {
  let params = NoParameters()
  var subject: EffectiveIdentity? { nil }
}
