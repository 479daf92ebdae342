import JSON
import MAM
import Model
import Policy
import Support

/// A user who answers what no host answers. A challenge is answered once: who has another answer is given it first.
final class ScriptedUser: Sendable {
  struct Answers: Sendable {
    var pin: HostSecret?
    /// Whether the user signs in.
    var signsIn = false
    /// Who signs in if the question names nobody.
    var userPrincipalName: String?
    /// Whether the user goes on despite a warning; `nil` for no answer.
    var accepts: Bool?
    /// Whether the user cancels what has no other answer.
    var cancels = false
  }

  private struct State: Sendable {
    var answers = Answers()
    /// The challenge that has had its answer; `nil` for none.
    var answered: String?
    /// What was wrong with that answer; `nil` if nothing was.
    var refusal: String?
  }

  private static let token = "a token of the sandbox"
  private let state = Lock(State())

  func replace(with answers: Answers) {
    state.withLock { $0 = State(answers: answers) }
  }

  func pin(for challenge: Challenge) -> HostAnswer<PINEntry> {
    state.withLock { state in
      guard let pin = state.answers.pin else { return state.answers.cancels ? .canceled : .unavailable }
      guard state.answered != challenge.id else {
        // A later call asks with the first message again.
        state.refusal = state.refusal ?? challenge.message
        return .unavailable
      }
      (state.answered, state.refusal) = (challenge.id, nil)
      return .value(.pin(pin))
    }
  }

  /// How a test answers the question behind a rule of a launch, or why its answer was refused; `nil` for a rule that asks
  /// nothing.
  func wayOut(of rule: JSONValue, in launch: JSONValue) -> String? {
    switch rule["outcome"]?.stringValue {
    case "warn": Self.wayOut(with: "accepted")
    case "challenge":
      rule["setting"] == .string(SettingName.pinRequired.rawValue)
        ? launch["challenges"]?.arrayValue?.lazy.compactMap { self.wayOut(of: ["challenge": $0]) }.first
          ?? Self.wayOut(with: "pin") : Self.wayOut(with: "signIn")
    default: nil
    }
  }

  /// The same for the challenge that an error has; `nil` for an error without one.
  func wayOut(of details: JSONValue) -> String? {
    guard let challenge = details["challenge"], let id = challenge["id"]?.stringValue else { return nil }
    let refusal = state.withLock { $0.answered == id ? $0.refusal : nil }
    if let refusal { return "The answer \"pin\" of sandbox.answer was refused: \(refusal)" }
    switch challenge["kind"]?.stringValue {
    case Challenge.Kind.warning.rawValue?: return Self.wayOut(with: "accepted")
    case Challenge.Kind.credentials.rawValue?: return Self.wayOut(with: "signIn")
    default: return Self.wayOut(with: "pin")
    }
  }

  private static func wayOut(with member: String) -> String {
    "In a test, answer it before with sandbox.answer, which is the verb user of the kits: \(member)."
  }

  /// `identity` is who must sign in; `nil` for anybody.
  func credentials(of identity: String?) -> HostAnswer<Credentials> {
    let answers = state.withLock { $0.answers }
    guard answers.signsIn, let name = answers.userPrincipalName ?? identity, let token = HostSecret(Self.token) else {
      return answers.cancels ? .canceled : .unavailable
    }
    return .value(Credentials(userPrincipalName: name, token: token))
  }

  /// The button that the user presses: of a warning, to go on or to cancel. `nil` for no answer.
  func button(of alert: HostAlert) -> String? {
    let answers = state.withLock { $0.answers }
    guard alert.actions.count == 2 else { return nil }
    switch answers.accepts {
    case true?: return alert.actions.first
    case false?: return alert.actions.last
    case nil: return answers.cancels ? alert.actions.last : nil
    }
  }
}
