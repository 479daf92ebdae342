import Support

@testable import MAM
@testable import Model

/// Shows the sign-ins of a policy source as a test wants, and remembers them.
final class PromptHost: Host {
  private let answer: @Sendable (SignInPrompt) async -> HostAnswer<Credentials>
  private let shown = Lock<[SignInPrompt]>([])

  init(_ answer: @escaping @Sendable (SignInPrompt) async -> HostAnswer<Credentials>) { self.answer = answer }

  var prompts: [SignInPrompt] { shown.withLock { $0 } }

  func promptForSignIn(_ prompt: SignInPrompt) async -> HostAnswer<Credentials> {
    shown.withLock { $0.append(prompt) }
    return await answer(prompt)
  }

  /// Shows the sign-in until it ends.
  static func showing() -> PromptHost {
    PromptHost { _ in
      await untilCancelled()
      return .unavailable
    }
  }

  /// Answers with a token, which is empty if the host only shows the sign-in.
  static func answering(_ token: String, of name: String = "alice") -> PromptHost {
    PromptHost { _ in
      HostSecret(token).map { .value(Credentials(userPrincipalName: TenantFolder.upn(name), token: $0)) }
        ?? .unavailable
    }
  }
}

/// Waits until the task is cancelled.
func untilCancelled() async {
  let (stream, feed) = AsyncStream.makeStream(of: Void.self)
  for await _ in stream {}
  withExtendedLifetime(feed) {}
}

extension SourcePrompt {
  static let example = SourcePrompt(
    verificationUri: "https://login.contoso.example/device", userCode: "VEUY-27HC", message: "",
    expires: SystemClock().now.advanced(by: 600_000))
}

extension Result where Success == AccessToken, Failure == SourceFault {
  /// A token that expires after so many milliseconds of the fixture.
  static func token(_ text: String, lasting milliseconds: Int64 = 3_600_000) -> Result {
    guard let token = HostSecret(text) else { return .failure(SourceFault(.broken, "no memory")) }
    return .success(
      AccessToken(token: token, expires: CoreFixture.start.advanced(by: milliseconds)))
  }

  static func fault(_ kind: SourceFault.Kind) -> Result {
    .failure(SourceFault(kind, "The source says \(kind.rawValue)."))
  }
}

/// Lets a test decide when a user has signed in.
final class Gate: Sendable {
  private let state = Lock((isOpen: false, waiting: [AsyncStream<Void>.Continuation]()))

  func open() {
    let waiting = state.withLock { state in
      state.isOpen = true
      return state.waiting
    }
    for waiter in waiting { waiter.finish() }
  }

  /// Returns false if the task is cancelled first.
  func wait() async -> Bool {
    let (stream, feed) = AsyncStream.makeStream(of: Void.self)
    let isOpen = state.withLock { state in
      state.waiting.append(feed)
      return state.isOpen
    }
    if isOpen { feed.finish() }
    for await _ in stream {}
    return !Task.isCancelled
  }
}
