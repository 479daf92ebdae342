// SourceHost asks policy sources that are programs. `--tenant exec:COMMAND` names one; `--tenant https://…` means
// `mambridge-tenant source`. The program speaks JSON-RPC on its standard streams, as schema/source.openrpc.json says;
// docs/sources.md is for those who write one.
//
// `ProgramSource` starts it when it is needed, again when it has failed, and not too often. `SourceConnection` is the
// conversation, on a thread of its own. `SourceChild` is the process: nothing of it is left when it has ended.
//
// A source is trusted to say what applies, and with nothing else: its answers are checked member by member, a missing
// member means nothing, and the core decides what becomes of an account.

import JSON
import MAM
import Model
import SourceProtocol
import Support
import Tenancy

/// A policy source that is a program: it is started when it is first asked, and speaks JSON-RPC on its standard input
/// and output.
///
/// The program lives while it watches registrations, or else until it was not asked for a minute. If it fails, it is
/// started again after a wait that doubles from one second to five minutes.
package final class ProgramSource: CheckInSource {
  private struct State {
    var opening: Task<Result<SourceConnection, SourceFault>, Never>?
    /// The programs that have not ended, by the number of their start. Those before the last are about to end.
    var connections: [Int: SourceConnection] = [:]
    var lastStart = 0
    /// The start that has led to an answer to `source.open`.
    var openStart: Int?
    var introduction: SourceTraits?
    var running = 0
    var idleTimer: Timers.Timer?
    /// What the program must watch, if it can push, and how often that has changed.
    var watched: [SourceRegistration] = []
    var watchVersion = 0
    /// What was told last.
    var told: WatchList?
    var isTelling = false
    var watchTimer: Timers.Timer?
    var failures = 0
    var lastFault: SourceFault?
    var nextStart = ContinuousClock.now
    var isOver = false
    var listener: (any SourceListener)?

    /// Whether the program should run even if nobody asks it.
    var isWatching: Bool { !watched.isEmpty && introduction?.canPush != false && !isOver }
  }

  /// A version of `watched`, for the program of a start.
  private struct WatchList: Equatable {
    let start: Int
    /// `nil` to tell the list again.
    var version: Int?
  }

  /// How long a check-in may take in all.
  package static let patience = SourceCapabilities.patience
  /// How long the program stays without being asked.
  package static let idleTime = Duration.seconds(60)
  /// In seconds.
  private static let longestWait = 300
  private static let endOfBridge = "mambridge ends"
  private static let needlessPrompt = #"""
    "error":{"code":-32600,"message":"send source.prompt with a verificationUri, and only while source.acquireToken \#
    runs with silent false"}
    """#

  let program: SourceProgram
  private let locale: String
  let patience: Duration
  private let idleTime: Duration
  private let isDevelopmentState: Bool
  private let state = Lock(State())
  let prompts = SourcePrompts()

  /// `locale` is the language of texts for the user; `isDevelopmentState` says that the state is for a development
  /// tenant, and for no other. Tests shorten the two times.
  package init(
    _ program: SourceProgram, locale: String, isDevelopmentState: Bool = false,
    patience: Duration = ProgramSource.patience, idleTime: Duration = ProgramSource.idleTime
  ) {
    self.program = program
    self.locale = locale
    self.isDevelopmentState = isDevelopmentState
    self.patience = patience
    self.idleTime = idleTime
  }

  package var capabilities: SourceCapabilities {
    var capabilities = SourceCapabilities.ofProgram
    capabilities.isForDevelopment = isDevelopmentState
    return capabilities
  }

  package func connect(_ listener: any SourceListener) { state.withLock { $0.listener = listener } }

  package func answers(
    to requests: [SourceRequest], until limit: ContinuousClock.Instant? = nil
  ) async -> SourceAnswers {
    let own = ContinuousClock.now + patience
    let deadline = limit.map { min($0, own) } ?? own
    let connection: SourceConnection
    switch await opened() {
    case .success(let opened): connection = opened
    case .failure(let fault): return SourceAnswers(requests.map { _ in .fault(fault) })
    }
    defer { noteEnd() }
    let replies = await withTaskGroup(of: (Int, SourceReply).self) { group in
      for (index, request) in requests.enumerated() {
        group.addTask { [self] in (index, await reply(to: request, connection, deadline)) }
      }
      return await group.reduce(into: [:]) { $0[$1.0] = $1.1 }
    }
    return SourceAnswers(
      requests.indices.map { replies[$0] ?? .fault(SourceFault(.late, "The policy source was not asked.")) })
  }

  package func authentication() async -> TenantAuthentication? {
    guard case .success = await opened() else { return nil }
    noteEnd()
    return knownAuthentication
  }

  package var knownAuthentication: TenantAuthentication? { introduction?.authentication }

  package func deliver(_ report: SourceReport) async -> Bool {
    guard case .success(let connection) = await opened() else { return false }
    defer { noteEnd() }
    // A source that does not know failures would take them for success.
    guard report.failure == nil || introduction?.takesFailures == true else { return true }
    switch await send(report, connection) {
    case .success, .failure(.error(code: SourceErrorCode.unknownRegistration.rawValue, _, _)): return true
    case .failure: return false
    }
  }

  private func send(_ report: SourceReport, _ connection: SourceConnection) async -> SourceConnection.Reply {
    let deadline = ContinuousClock.now + patience
    guard let operation = report.operation else {
      let params = ToSource.Leave.Params(registration: report.registration)
      return await connection.ask(ToSource.Leave.self, params, until: deadline)
    }
    return await connection.ask(
      ToSource.Report.self, ToSource.Report.Params(report, of: operation), until: deadline)
  }

  /// Ends the program with this process. Waits until nothing of it is left.
  package func end() {
    let connections = state.withLock { state in
      state.isOver = true
      state.opening = nil
      state.idleTimer?.cancel()
      state.watchTimer?.cancel()
      return Array(state.connections.values)
    }
    for connection in connections { connection.end(Self.endOfBridge) }
    for connection in connections { connection.waitForEnd() }
  }

  /// What the program has answered to `source.open`; `nil` until then.
  var introduction: SourceTraits? { state.withLock { $0.introduction } }

  func noteAnswer() { state.withLock { ($0.failures, $0.lastFault) = (0, nil) } }

  private func reply(
    to request: SourceRequest, _ connection: SourceConnection, _ deadline: ContinuousClock.Instant
  ) async -> SourceReply {
    guard let params = ToSource.CheckIn.Params(request) else {
      return .fault(SourceFault(.signInNeeded, "The token has characters that no token has."))
    }
    let reply = await connection.ask(ToSource.CheckIn.self, params, until: deadline)
    do throws(SourceFault) {
      switch reply {
      case .success(let answer):
        noteAnswer()
        return .news(try SourceNews(answer.result))
      case .failure(let failure): throw fault(failure, asking: ToSource.CheckIn.name)
      }
    } catch {
      // A program that hangs would hang at the next request, too.
      if error.kind == .late, !Task.isCancelled { connection.end("it did not answer in time") }
      return .fault(error)
    }
  }
}

/// The life of the program.
extension ProgramSource {
  /// The running program, started if it does not run. Call `noteEnd` afterwards if it is there.
  func opened() async -> Result<SourceConnection, SourceFault> {
    let opening = state.withLock { state -> Task<Result<SourceConnection, SourceFault>, Never> in
      state.idleTimer?.cancel()
      state.running += 1
      if let opening = state.opening { return opening }
      let opening = Task(executorPreference: BlockingExecutor.shared) { [self] in await open() }
      state.opening = opening
      return opening
    }
    let result = await opening.value
    if case .failure = result { noteEnd() }
    return result
  }

  private func open() async -> Result<SourceConnection, SourceFault> {
    if let fault = waitBeforeStart() {
      state.withLock { $0.opening = nil }
      return .failure(fault)
    }
    do throws(SourceFault) {
      let connection = try start()
      let reply = await connection.ask(
        ToSource.Open.self, ToSource.Open.Params(locale: locale), until: .now + patience)
      switch reply {
      case .success(let answer):
        do throws(SourceFault) {
          let introduction = try SourceTraits(answer.result)
          try introduction.check(isDevelopmentState: isDevelopmentState)
          state.withLock { ($0.introduction, $0.openStart) = (introduction, $0.lastStart) }
          // Not awaited: a check-in does not need the answer.
          Task(executorPreference: BlockingExecutor.shared) { [self] in await tellWatched() }
          return .success(connection)
        } catch {
          connection.end(error.text)
          throw error
        }
      case .failure(let failure):
        let fault = SourceFault(failure, asking: ToSource.Open.name)
        connection.end(fault.text)
        throw fault
      }
    } catch {
      noteFailure(error)
      return .failure(error)
    }
  }

  /// The last fault, if the program has failed a moment ago.
  private func waitBeforeStart() -> SourceFault? {
    state.withLock { state in
      if state.isOver { return SourceFault(.late, Self.endOfBridge + ".") }
      let rest = ContinuousClock.now.duration(to: state.nextStart)
      guard rest > .zero, var fault = state.lastFault else { return nil }
      fault.retryAfter = rest
      // The program may have failed before anything was watched. Then nothing else starts it again.
      if state.isWatching { watchLater(&state, after: rest) }
      return fault
    }
  }

  private func start() throws(SourceFault) -> SourceConnection {
    let number = state.withLock { state in
      state.lastStart += 1
      return state.lastStart
    }
    let listener = SourceConnection.Listener(
      didReceive: { [weak self] in self?.receive($0, from: number) }, didSay: { [weak self] in self?.say($0) },
      didEnd: { [weak self] in self?.noteEndOfProgram(number, $0) })
    do throws(SourceChild.CannotStart) {
      let connection = try SourceConnection.start(program.words, listener)
      let isOver = state.withLock { state in
        state.connections[number] = connection
        return state.isOver
      }
      if isOver { connection.end(Self.endOfBridge) }
      return connection
    } catch {
      throw SourceFault(
        .cannotStart, "Cannot start the policy source \(program.name): \(error.error.text). \(program.remedy)")
    }
  }

  /// A program has ended, whatever the reason.
  private func noteEndOfProgram(_ number: Int, _ reason: String) {
    let hasFailed = state.withLock { state in
      state.connections[number] = nil
      guard state.openStart == number, state.lastStart == number else { return false }
      state.openStart = nil
      return !state.isOver
    }
    say("the program has ended: \(reason)")
    if hasFailed { noteFailure(SourceFault(.over(reason), asking: "")) }
  }

  private func noteFailure(_ fault: SourceFault) {
    state.withLock { state in
      state.opening = nil
      state.failures += 1
      state.lastFault = fault
      let wait = Duration.seconds(min(Self.longestWait, 1 << min(state.failures - 1, 9)))
      state.nextStart = .now + wait
      if state.isWatching { watchLater(&state, after: wait) }
    }
  }

  private func watchLater(_ state: inout State, after wait: Duration) {
    state.watchTimer?.cancel()
    state.watchTimer = Timers.shared.after(wait) { [weak self] in
      self?.state.withLock { $0.told?.version = nil }
      self?.goOnWatching()
    }
  }

  /// Call this once for each successful `opened`, and for each telling.
  func noteEnd() {
    state.withLock { state in
      state.running -= 1
      guard state.running == 0, state.opening != nil, !state.isWatching else { return }
      state.idleTimer?.cancel()
      state.idleTimer = Timers.shared.after(idleTime) { [weak self] in self?.endIdle() }
    }
  }

  private func endIdle() {
    let connection = state.withLock { state -> SourceConnection? in
      guard state.running == 0, let number = state.openStart else { return nil }
      // The next request starts the program again.
      (state.opening, state.openStart) = (nil, nil)
      return state.connections[number]
    }
    connection?.end("nobody needs it now")
  }

  package func watch(_ registrations: [SourceRegistration]) {
    let wasWatching = state.withLock { state in
      defer { (state.watched, state.watchVersion) = (registrations, state.watchVersion + 1) }
      return state.isWatching
    }
    if wasWatching || !registrations.isEmpty { goOnWatching() }
  }

  /// Tells the program what to watch. Starts it if it does not run.
  private func goOnWatching() {
    Task(executorPreference: BlockingExecutor.shared) { [self] in
      guard state.withLock({ $0.opening != nil || $0.isWatching }), case .success = await opened() else { return }
      await tellWatched()
      noteEnd()
    }
  }

  /// Tells the program what to watch until it knows the newest list. One task at a time does, so that no list
  /// overtakes a newer one.
  private func tellWatched() async {
    let mayTell = state.withLock { state in
      guard !state.isTelling else { return false }
      state.isTelling = true
      state.running += 1
      return true
    }
    guard mayTell else { return }
    defer { noteEnd() }
    while let (list, connection, watched) = untold() {
      let params = ToSource.Watch.Params(registrations: watched)
      let reply = await connection.ask(ToSource.Watch.self, params, until: .now + patience)
      guard case .failure(let failure) = reply, failure.mayPass else { continue }
      state.withLock { if $0.told == list, !$0.isOver { watchLater(&$0, after: patience) } }
    }
  }

  /// The newest list that the running program does not know, which counts as told from now on. If there is none, the
  /// telling is over.
  private func untold() -> (WatchList, SourceConnection, [SourceRegistration])? {
    state.withLock { state in
      let number = state.openStart ?? 0
      let (list, isFirst) = (WatchList(start: number, version: state.watchVersion), state.told?.start != number)
      guard let connection = state.connections[number], state.introduction?.canPush == true, list != state.told,
        !(isFirst && state.watched.isEmpty)
      else {
        state.isTelling = false
        return nil
      }
      state.told = list
      return (list, connection, state.watched)
    }
  }

  private func say(_ line: String) { state.withLock { $0.listener }?.sourceDidSay(line) }

  private func receive(_ message: SourceConnection.Message, from number: Int) {
    let (listener, connection) = state.withLock { ($0.listener, $0.connections[number]) }
    switch message.method {
    case ToBridge.DidChange.name:
      let change = SourceChange(message.params)
      listener?.sourceDidChange(change.account, within: change.spread)
    case ToBridge.Prompt.name:
      let isShown = message.params.flatMap { SourcePrompt($0) }.map { prompts.show($0) } ?? false
      if let id = message.id { connection?.answer(id, isShown ? #""result":null"# : Self.needlessPrompt) }
    default:
      if let id = message.id {
        connection?.answer(id, #""error":{"code":-32601,"message":"mambridge has no such method"}"#)
      }
    }
  }
}

extension SourceConnection.Failure {
  /// Whether a running program may answer the same request later. A program that does not know the request pushes for
  /// whatever it has seen.
  fileprivate var mayPass: Bool {
    switch self {
    case .error(code: let code, _, _): code != -32601
    case .late: true
    case .cancelled, .over: false
    }
  }
}
