import HTTP
import JSON
import SourceProtocol
import Support

/// Asks the service over and over what has changed for the watched registrations, and tells mambridge. One request waits
/// for all of them.
///
/// Safe to call from any thread.
final class SourcePush: Sendable {
  private struct State {
    var watched: [SourceRegistration] = []
    /// Watched registrations that the service does not know. They are not asked about until they check in, because a
    /// registration may be watched before its first check-in is answered.
    var gone: Set<String> = []
    /// What the service said last. The service is asked what has changed since then.
    var revisions: [String: Int64] = [:]
    var accounts: [String: SourceAccount] = [:]
    /// Not to be asked about before that time.
    var pauses: [String: ContinuousClock.Instant] = [:]
    /// Asked about without waiting, because their revision is not known: a service that says it then, says changes later.
    var greeted: Set<String> = []
    /// The first of the registrations that are asked about next.
    var turn = 0
    /// Changes with everything that makes a request in flight outdated.
    var edition = 0
    var tell: (@Sendable (ToBridge.DidChange.Params) -> Void)?
    var main: Task<Void, Never>?
    /// A request or a wait.
    var step: Task<Void, Never>?
    var isOver = false

    mutating func restart() {
      edition += 1
      step?.cancel()
    }

    mutating func forgetUnwatched() {
      let ids = Set(watched.map(\.id))
      revisions = revisions.filter { ids.contains($0.key) }
      accounts = accounts.filter { ids.contains($0.key) }
      pauses = pauses.filter { ids.contains($0.key) }
    }
  }

  /// What is asked in one request.
  private struct Round {
    var registrations: [SourceRegistration]
    var revisions: [String: Int64]
    var edition: Int
    var wait: Duration
  }

  struct Times: Sendable {
    /// How long the service waits for a change.
    var wait = Duration.seconds(25)
    var backOff = BackOff(first: .seconds(1), longest: .seconds(300))
    /// How long not to ask about registrations after a change whose revision the service did not say, and after the
    /// service said that it takes no more requests that wait.
    var pause = Duration.seconds(10)
    var pauseWithoutPush = Duration.seconds(300)
    /// How long to wait after an answer that came sooner than asked for. Replicas that differ for a while can make each
    /// answer news.
    var pauseAfterEarlyAnswer = Duration.seconds(1)
  }

  /// The most that the service takes in one request.
  static let mostRegistrations = 200
  /// The most registrations whose revision and account are kept without being watched.
  private static let mostKnown = 1000

  private let service: TenantServiceClient
  private let times: Times
  private let state = Lock(State())

  init(_ service: TenantServiceClient, times: Times = Times()) { (self.service, self.times) = (service, times) }

  /// Begins to ask.
  func begin(_ tell: @escaping @Sendable (ToBridge.DidChange.Params) -> Void) {
    state.withLock { state in
      guard state.main == nil, !state.isOver else { return }
      state.tell = tell
      state.main = Task { await run() }
    }
  }

  func end() {
    state.withLock { state in
      state.isOver = true
      state.main?.cancel()
      state.step?.cancel()
    }
  }

  /// Watches these registrations and no others.
  func watch(_ registrations: [SourceRegistration]) {
    state.withLock { state in
      state.watched = registrations
      state.gone.formIntersection(registrations.map(\.id))
      state.greeted.formIntersection(registrations.map(\.id))
      state.restart()
    }
  }

  /// Learns from the answer of a check-in. A registration may be watched only later: what changes until then is news.
  func note(_ id: String, account: SourceAccount, _ answer: TenantServiceClient.CheckIn) {
    state.withLock { state in
      if state.accounts.count >= Self.mostKnown, state.accounts[id] == nil { state.forgetUnwatched() }
      state.accounts[id] = account
      state.pauses[id] = answer.canPush ? nil : .now + times.pauseWithoutPush
      let wasGone = state.gone.remove(id) != nil
      let hasNews = answer.revision.map { $0 != state.revisions[id] } ?? false
      if let revision = answer.revision { state.revisions[id] = revision }
      guard wasGone || hasNews else { return }
      if state.watched.contains(where: { $0.id == id }) { state.restart() }
    }
  }
}

extension SourcePush {
  /// Keeps a long poll open until it is cancelled.
  private func run() async {
    var backOff = times.backOff
    while let round = nextRound() {
      guard !round.registrations.isEmpty else {
        await step(of: round.edition) { try? await Task.sleep(for: round.wait) }
        continue
      }
      let outcome = Lock<Result<JSONValue, SourceError>?>(nil)
      let start = ContinuousClock.now
      await step(of: round.edition) { [service] in
        let result = await Self.ask(service, round)
        if !Task.isCancelled { outcome.withLock { $0 = result } }
      }
      switch outcome.withLock({ $0 }) {
      case .success(let answer):
        backOff = times.backOff
        take(answer, to: round)
        guard start.duration(to: .now) < round.wait - .seconds(1) else { continue }
        await step(of: round.edition) { [times] in try? await Task.sleep(for: times.pauseAfterEarlyAnswer) }
      case .failure(let error):
        let wait = max(backOff.next(), error.retryAfter ?? .zero)
        await step(of: nil) { try? await Task.sleep(for: wait) }
      case nil: break
      }
    }
  }

  /// `nil` at the end. Without registrations, there is only a wait.
  private func nextRound() -> Round? {
    state.withLock { state in
      guard !state.isOver, !Task.isCancelled else { return nil }
      let now = ContinuousClock.now
      state.pauses = state.pauses.filter { $0.value > now }
      let ready = state.watched.filter { state.pauses[$0.id] == nil && !state.gone.contains($0.id) }
      let rest = state.pauses.values.min().map { now.duration(to: $0) } ?? .seconds(3600)
      if state.turn >= ready.count { state.turn = 0 }
      let asked = Array(ready.dropFirst(state.turn).prefix(Self.mostRegistrations))
      if ready.count > Self.mostRegistrations { state.turn += Self.mostRegistrations }
      let isGreeting = asked.contains { state.revisions[$0.id] == nil && !state.greeted.contains($0.id) }
      let turns = (ready.count + Self.mostRegistrations - 1) / Self.mostRegistrations
      let wait = min(times.wait / max(1, turns), max(rest, .seconds(1)))
      return Round(
        registrations: asked, revisions: state.revisions, edition: state.edition,
        wait: asked.isEmpty ? rest : isGreeting ? .zero : wait)
    }
  }

  private static func ask(_ service: TenantServiceClient, _ round: Round) async -> Result<JSONValue, SourceError> {
    var writer = JSONWriter()
    writer.beginObject()
    writer.name("registrations")
    writer.beginArray()
    for registration in round.registrations {
      registration.encode(to: &writer, revision: round.revisions[registration.id])
    }
    writer.endArray()
    writer.member("wait", Int64(round.wait.components.seconds))
    writer.endObject()
    do throws(SourceError) {
      return .success(try await service.changes(writer.bytes, wait: round.wait))
    } catch {
      return .failure(error)
    }
  }

  /// Runs the body until it ends, or until something makes it outdated, if it belongs to an edition.
  private func step(of edition: Int?, _ body: @escaping @Sendable () async -> Void) async {
    let task = Task { await body() }
    let isOutdated = state.withLock { state in
      state.step = task
      return state.isOver || edition.map { $0 != state.edition } ?? false
    }
    if isOutdated { task.cancel() }
    await task.value
    state.withLock { $0.step = nil }
  }

  private func take(_ answer: JSONValue, to round: Round) {
    let changed = answer["changed"]?.strings ?? []
    let gone = Set(answer["gone"]?.strings ?? [])
    let spread = max(0, answer["spread"]?.numberValue ?? 0)
    let (accounts, tell) = state.withLock { state in
      state.greeted.formUnion(round.registrations.map(\.id))
      // An answer that is older than a list or a check-in says nothing about them.
      if round.edition == state.edition { state.gone.formUnion(gone) }
      for member in answer["revisions"]?.objectValue?.members ?? [] {
        if let revision = member.value.integerValue { state.revisions[member.name] = revision }
      }
      for id in changed where answer["revisions"]?[id]?.integerValue == nil {
        state.pauses[id] = .now + .seconds(min(spread, 3600)) + times.pause
      }
      return (changed.map { state.accounts[$0] }, state.tell)
    }
    // Without an account, all of them check in.
    let isForAll = accounts.contains(nil)
    for account in isForAll ? [nil] : Set(accounts) {
      tell?(ToBridge.DidChange.Params(account: account, spread: spread))
    }
  }
}

extension SourceRegistration {
  /// As the service wants it.
  fileprivate func encode(to writer: inout JSONWriter, revision: Int64?) {
    writer.beginObject()
    Self.fields.encodeMembers(self, to: &writer)
    if let revision { writer.member("revision", revision) }
    writer.endObject()
  }
}
