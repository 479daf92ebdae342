import Support
import Testing

@testable import MAM
@testable import Model

/// Answers to sign-ins as a test wants, and remembers what it was asked.
final class SignInHost: Host {
  enum Answer: Sendable {
    case unavailable, canceled
    case token(String)
    case credentials(String, String)
  }

  private let answers: [String: Answer]
  private let asked = Lock<[String]>([])

  /// By the names `silent`, `token` and `prompt`; without one nobody answers.
  init(_ answers: [String: Answer]) {
    self.answers = answers
  }

  var questions: [String] { asked.withLock { $0 } }

  private func answer(_ name: String) -> Answer {
    asked.withLock { $0.append(name) }
    return answers[name] ?? .unavailable
  }

  func acquireToken(for account: Account, resource: String, silent: Bool) async -> HostAnswer<AccessToken> {
    switch answer(silent ? "silent" : "token") {
    case .token(let text):
      HostSecret(text).map { .value(AccessToken(token: $0, expires: nil)) } ?? .unavailable
    case .canceled: .canceled
    default: .unavailable
    }
  }

  func promptForCredentials(
    identity: String?, window: String?, message: String
  ) async -> HostAnswer<Credentials> {
    switch answer("prompt") {
    case .credentials(let name, let text):
      HostSecret(text).map { .value(Credentials(userPrincipalName: name, token: $0)) } ?? .unavailable
    case .canceled: .canceled
    default: .unavailable
    }
  }
}

extension ChallengeAnswer {
  static func token(_ text: String, of name: String? = nil) throws -> ChallengeAnswer {
    .credentials(try #require(HostSecret(text)), userPrincipalName: name)
  }
}

extension Challenges {
  /// As a login of that user opens it.
  func openSignIn(_ name: String?) throws(MAMError) -> Challenge {
    let notice = UserNotice(.account(.signInTitle), .account(.signInMessage))
    return try open(
      UserQuestion(kind: .credentials, reference: name.map { .user($0) }, window: "main", notice: notice))
  }

  func openWarning(_ name: String) throws(MAMError) -> Challenge {
    let notice = UserNotice(.alert(.noPolicyTitle), .alert(.noPolicyMessage))
    return try open(UserQuestion(kind: .warning, reference: .user(name), window: nil, notice: notice))
  }
}
