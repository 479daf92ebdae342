import MAM
import SourceProtocol
import Support

/// The sign-in by the program.
extension ProgramSource {
  package func canSignIn() async -> Bool {
    guard case .success = await opened() else { return false }
    noteEnd()
    return introduction?.canSignIn ?? false
  }

  package func acquireToken(
    for request: SourceTokenRequest, until time: ContinuousClock.Instant
  ) async -> Result<AccessToken, SourceFault> {
    let connection: SourceConnection
    switch await opened() {
    case .success(let opened): connection = opened
    case .failure(let fault): return .failure(fault)
    }
    defer { noteEnd() }
    let (isShown, deadline) = (Lock(false), SourceDeadline(time))
    guard let show = request.show else { return await acquire(request, connection, deadline) { false } }
    let id = await prompts.begin { prompt in
      isShown.withLock { $0 = true }
      deadline.move(to: prompt.deadline)
      show(prompt)
    }
    guard let id else { return .failure(SourceFault(.cancelled, asking: ToSource.AcquireToken.name)) }
    defer { prompts.end(id) }
    // The sign-ins before this one may have taken all the time.
    deadline.move(to: max(time, .now + patience))
    return await acquire(request, connection, deadline) { isShown.withLock { $0 } }
  }

  /// `isShown` is whether the user was prompted, and so is the one who is late.
  private func acquire(
    _ request: SourceTokenRequest, _ connection: SourceConnection, _ deadline: SourceDeadline,
    isShown: () -> Bool
  ) async -> Result<AccessToken, SourceFault> {
    let params = ToSource.AcquireToken.Params(request)
    let reply = await connection.ask(ToSource.AcquireToken.name, params.jsonBytes, until: deadline)
    do throws(SourceFault) {
      switch reply {
      case .success(let answer):
        let token = try AccessToken(answer.result)
        noteAnswer()
        return .success(token)
      case .failure(.late) where isShown(): throw signInNeeded("Nobody has signed in in time.")
      case .failure(let failure):
        if case .late = failure { connection.end("it did not answer in time") }
        throw fault(failure, asking: ToSource.AcquireToken.name)
      }
    } catch {
      return .failure(error)
    }
  }

  private func signInNeeded(_ text: String) -> SourceFault { SourceFault(.signInNeeded, text + program.waysToSignIn) }

  /// The fault of an answer. If a user must sign in, the text says how.
  func fault(_ failure: SourceConnection.Failure, asking method: String) -> SourceFault {
    var fault = SourceFault(failure, asking: method)
    if fault.kind == .signInNeeded, !fault.text.includes(SourceProgram.login) { fault.text += program.waysToSignIn }
    return fault
  }
}
