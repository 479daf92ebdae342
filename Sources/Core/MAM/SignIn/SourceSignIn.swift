import Model
import Support

/// One sign-in through the policy source. The source says where to sign in, somebody shows that to the user, and the
/// source gets the token when the user has signed in.
///
/// A host shows the sign-in if it can, else the person who waits for the call, else a challenge. It ends when the source
/// has the token, when the prompt expires, or when the user or the caller cancels.
struct SourceSignIn: Sendable {
  enum Outcome: Sendable {
    /// The source has got a token.
    case own(AccessToken)
    /// The host has given one of its own.
    case host(HostSecret)
    /// The host's token cannot be used; the text says why.
    case refused(String)
    case fault(SourceFault)
  }

  private enum Event: Sendable {
    case prompt(SourcePrompt)
    case answer(HostAnswer<Credentials>)
    case cancel
    case end(Result<AccessToken, SourceFault>)
  }

  let tokens: EnrollmentTokens
  let account: Account
  let window: String?
  /// See `SourceTokenRequest`.
  let claims: String?

  /// Throws `challenge` if nobody shows the sign-in, and `cancelled` if the caller cancels.
  func run() async throws(MAMError) -> Outcome {
    let keeper = tokens.keeper
    if try keeper.takeCancel(about: account) {
      tokens.signIns.cancel(account)
      return .fault(.canceledSignIn)
    }
    if let open = tokens.signIns.challenge(of: account) { throw keeper.error(for: open) }
    let (events, feed) = AsyncStream.makeStream(of: Event.self)
    let acquiring = acquire(feed)
    var (showing, isKept): (Task<Void, Never>?, Bool) = (nil, false)
    defer {
      showing?.cancel()
      if !isKept { acquiring.cancel() }
    }
    var last: SourcePrompt?
    for await event in events {
      switch event {
      case .end(.success(let token)): return .own(token)
      case .end(.failure(let fault)): return .fault(fault)
      case .prompt(let prompt):
        last = prompt
        showing?.cancel()
        showing = ask(prompt, feed)
      case .answer(.value(let credentials)) where credentials.token.isEmpty: continue
      case .answer(.value(let credentials)): return check(credentials)
      case .answer(.canceled), .cancel: return .fault(.canceledSignIn)
      case .answer(.unavailable):
        guard let last else { continue }
        guard case .text(let show) = tokens.live.configuration.signInDisplay else {
          let challenge = try keeper.open(shown(last))
          isKept = runWithoutCaller(challenge, events, feed, acquiring)
          throw keeper.error(for: challenge)
        }
        show(shown(last).message)
      }
    }
    throw .cancelled
  }

  /// Lets the source get the token, until the result is cancelled.
  private func acquire(_ feed: AsyncStream<Event>.Continuation) -> Task<Void, Never> {
    let show: @Sendable (SourcePrompt) -> Void = { feed.yield(.prompt($0)) }
    let request = SourceTokenRequest(account: account, claims: claims, show: show)
    return Task(executorPreference: BlockingExecutor.shared) { [provider = tokens.source.provider] in
      feed.yield(.end(await provider.acquireToken(for: request, until: .now + EnrollmentTokens.sourcePatience)))
    }
  }

  /// Asks a host, until the result is cancelled.
  private func ask(_ prompt: SourcePrompt, _ feed: AsyncStream<Event>.Continuation) -> Task<Void, Never> {
    log(.info, "the policy source asks \(personal: account) to sign in at \(public: prompt.verificationUri)")
    return Task(executorPreference: BlockingExecutor.shared) { [host = tokens.hosts.current, prompt = shown(prompt)] in
      let answer = await host.promptForSignIn(prompt)
      if !Task.isCancelled { feed.yield(.answer(answer)) }
    }
  }

  private func shown(_ prompt: SourcePrompt) -> SignInPrompt {
    let usual = AccountMessage.signInMessage.text(in: tokens.live.language)
    return SignInPrompt(
      account: account, window: window, message: prompt.text(orBeginning: usual),
      verificationUri: prompt.verificationUri, userCode: prompt.userCode, expires: prompt.expires)
  }

  private func check(_ credentials: Credentials) -> Outcome {
    switch tokens.source.check(
      credentials.token, of: AccountReference(credentials.userPrincipalName), wanting: account.reference)
    {
    case .signedIn: .host(credentials.token)
    case .refused(let text): .refused(text.text(in: .english))
    }
  }

  private func log(_ level: LogLevel, _ message: LogMessage) {
    guard let log = try? tokens.live.refresh().log else { return }
    log.write(level, .enrollment, message)
  }
}

/// The rest of a sign-in that is kept as a challenge.
extension SourceSignIn {
  /// Goes on without a caller. Returns false if the core has ended.
  private func runWithoutCaller(
    _ challenge: Challenge, _ events: AsyncStream<Event>, _ feed: AsyncStream<Event>.Continuation,
    _ acquiring: Task<Void, Never>
  ) -> Bool {
    let entry = KeptSignIns.Entry(account: account, challenge: challenge) { acquiring.cancel() }
    guard tokens.signIns.add(entry) else { return false }
    Task(executorPreference: BlockingExecutor.shared) {
      // The call that began this does not wait for it, so its end does not end this.
      await CallContext.$current.withValue(.byItself) { await follow(challenge, events, feed) }
      acquiring.cancel()
    }
    return true
  }

  private func follow(
    _ challenge: Challenge, _ events: AsyncStream<Event>, _ feed: AsyncStream<Event>.Continuation
  ) async {
    let keeper = tokens.keeper
    let canceling = Task(executorPreference: BlockingExecutor.shared) {
      await keeper.waitForEnd(of: challenge)
      feed.yield(.cancel)
    }
    defer { canceling.cancel() }
    for await event in events {
      switch event {
      case .prompt, .answer: continue
      case .cancel: return tokens.signIns.remove(challenge)
      case .end(let result): return conclude(challenge, result)
      }
    }
  }

  private func conclude(_ challenge: Challenge, _ result: Result<AccessToken, SourceFault>) {
    if case .success(let token) = result { tokens.held.hold(token, for: account, at: tokens.live.now) }
    tokens.signIns.remove(challenge)
    switch result {
    case .success:
      tokens.keeper.end(challenge)
      log(.info, "\(personal: account) has signed in")
      // The token lets the next check-in go, so it need not wait.
      if let reference = account.reference { SourceEvents(tokens.live).sourceDidChange(reference, within: .zero) }
    case .failure(let fault):
      if fault.kind == .signInCanceled { tokens.keeper.cancel(challenge) } else { tokens.keeper.end(challenge) }
      log(.warning, "\(personal: account) has not signed in: \(public: fault.text)")
    }
  }
}

extension SourceFault {
  fileprivate static let canceledSignIn = SourceFault(.signInCanceled, SourceText.signInCanceled)
}
