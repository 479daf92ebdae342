import Model
import SQLite

/// The challenges of sign-ins through the policy source. The user signs in elsewhere, so they end by themselves and can
/// only be canceled.
struct SourceChallenges: SignInKeeper {
  let live: LiveState
  let challenges: Challenges

  func open(_ prompt: SignInPrompt) throws(MAMError) -> Challenge {
    let question = UserQuestion(
      kind: .credentials, reference: prompt.account.reference, window: prompt.window,
      notice: UserNotice(.account(.signInTitle), .account(.signInMessage)), signIn: prompt)
    return try challenges.open(question)
  }

  func end(_ challenge: Challenge) {
    // If this fails, the challenge expires with the sign-in.
    try? challenges.withdraw([challenge])
  }

  func cancel(_ challenge: Challenge) { try? challenges.cancel(challenge) }

  func waitForEnd(of challenge: Challenge) async {
    while !Task.isCancelled {
      guard let mark = try? live.changeMark(), let all = try? challenges.all() else {
        // A state that cannot be read now ends nothing.
        try? await Task.sleep(for: Changes.pollInterval)
        continue
      }
      guard all.contains(where: { $0.challenge.id == challenge.id && $0.outcome == nil }) else { return }
      _ = await live.changes.wait(beyond: mark)
    }
  }

  func takeCancel(about account: Account) throws(MAMError) -> Bool {
    guard let reference = account.reference else { return false }
    let canceled = try challenges.all(about: reference).filter { $0.isOfSource && $0.outcome == .canceled }
    try challenges.withdraw(canceled.map(\.challenge))
    return !canceled.isEmpty
  }

  func error(for challenge: Challenge) -> MAMError { .signIn(challenge) }
}

extension StoredChallenge {
  /// Whether the user signs in through the policy source.
  var isOfSource: Bool { challenge.verificationUri != nil }
}

extension MAMError {
  /// The error of a call for which the user must sign in elsewhere.
  fileprivate static func signIn(_ challenge: Challenge) -> MAMError {
    let place = challenge.verificationUri ?? ""
    let code = challenge.userCode.map { ", with the code \($0)" } ?? ""
    var error = MAMError(
      .challenge, "the user must sign in first, at \(place)\(code)",
      hint: "Show data.challenge to the user, and repeat this call when the user has signed in")
    error.challenge = challenge
    return error
  }
}
