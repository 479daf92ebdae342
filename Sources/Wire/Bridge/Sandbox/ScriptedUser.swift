import MAM
import Model
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
  }

  private static let token = "a token of the sandbox"
  private let state = Lock(State())

  func replace(with answers: Answers) {
    state.withLock { $0 = State(answers: answers) }
  }

  func pin(for challenge: Challenge) -> HostAnswer<PINEntry> {
    state.withLock { state in
      guard let pin = state.answers.pin else { return state.answers.cancels ? .canceled : .unavailable }
      guard state.answered != challenge.id else { return .unavailable }
      state.answered = challenge.id
      return .value(.pin(pin))
    }
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
