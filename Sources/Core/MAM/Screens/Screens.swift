import Model
import SQLite
import Support

/// Tells hosts when a screen of the SDK takes over a window, and when the window is theirs again.
///
/// A window is taken over while it has a use. The store keeps the uses, and the events are in the transactions that change
/// them, so for each window the events alternate, whatever process or host dies in between.
package struct Screens: Sendable {
  let live: LiveState
  /// The connections of this process.
  let owners: ScreenOwners
  let times: ScreenTimes

  /// No screen stays up longer than a challenge.
  private static let lifetimeMilliseconds: Int64 = 15 * 60_000

  /// A challenge was returned to a host, or is about to be shown by one.
  func show(_ challenge: Challenge) {
    let use = use(by: challenge)
    guard let uses = uses(), !uses.includeScreen(of: use) else { return }
    change { uses in
      if !uses.includeScreen(of: use) { uses.append(use) }
    }
  }

  private func use(by challenge: Challenge) -> ScreenUse {
    ScreenUse(
      window: challenge.window ?? "", accountId: challenge.accountId, identity: challenge.identity,
      challenge: challenge.id, owner: owner, expires: challenge.expires ?? expiry)
  }

  /// A host is asked to show something. Call `end` with the result when the request ends, however it ends.
  package func begin(_ notice: ScreenNotice) -> Request {
    let request = Request(owner: "\(owner)#\(times.nextNumber())")
    // An event without an object id would keep the name of a wiped account.
    let account = (notice.accountId ?? notice.identity).map { live.state.named(AccountReference($0)) }
    let use = ScreenUse(
      window: notice.window ?? "", accountId: notice.accountId ?? account?.accountId,
      identity: notice.identity ?? account?.identity, challenge: "",
      owner: request.owner, expires: expiry)
    change { $0.append(use) }
    return request
  }

  package func end(_ request: Request) {
    change { uses in uses.removeAll { $0.owner == request.owner } }
  }

  /// A request to a host, until it ends.
  package struct Request: Sendable {
    fileprivate let owner: String
  }

  /// Ends the uses of challenges that were answered, withdrawn or have expired, and of requests of dead processes.
  func settle() {
    guard let uses = uses(), !uses.isEmpty, uses != current(uses) else { return }
    change { _ in }
  }

  /// Whether the start of a host may end a use.
  var mayEndAtStart: Bool { uses()?.isEmpty == false }

  /// A host starts: also ends the uses of challenges that only hosts that are gone have seen.
  func startHost() {
    guard mayEndAtStart else { return }
    change { [owners] uses in uses.removeAll { !owners.isThere($0.owner.connection) } }
  }

  /// As a part of a change: like `startHost`, and then `show` for each challenge. Pass the result to `settleLater`.
  func startHost(showing challenges: [Challenge], in transaction: StoreTransaction) throws(SQLiteError) -> Timestamp? {
    let before = try transaction.connection.screenUses()
    let open = try transaction.connection.openChallenges(at: transaction.now)
    let current = before.current(at: transaction.now, open, owners)
    let kept = current.filter { owners.isThere($0.owner.connection) }
    try transaction.replace(before, by: kept)
    var after = kept
    for use in challenges.map(use(by:)) where !after.includeScreen(of: use) { after.append(use) }
    try transaction.replace(kept, by: after)
    return after.map(\.expires).min()
  }

  private var owner: String { (CallOrigin.current?.screenOwner ?? .core).name }
  private var expiry: Timestamp { live.now.advanced(by: Self.lifetimeMilliseconds) }

  /// `nil` if the store cannot be read, or must not be changed.
  private func uses() -> [ScreenUse]? {
    guard !live.configuration.isObserving, let services = try? live.refresh() else { return nil }
    return try? services.store.read { connection throws(SQLiteError) in try connection.screenUses() }
  }

  /// The uses that have not ended by themselves; `nil` if the store cannot be read.
  private func current(_ uses: [ScreenUse]) -> [ScreenUse]? {
    let now = live.now
    guard let services = try? live.refresh() else { return nil }
    return try? services.store.read { connection throws(SQLiteError) in
      uses.current(at: now, try connection.openChallenges(at: now), owners)
    }
  }

  /// Changes the uses, and ends those that have ended by themselves. This is no commit point of the call that causes it:
  /// the call can still be cancelled while its user is asked. A failure is logged; the next change makes up for it.
  private func change(_ body: @Sendable (inout [ScreenUse]) -> Void) {
    guard !live.configuration.isObserving else { return }
    let outcome = CallContext.$current.withValue(.lasting) { () -> Result<Timestamp?, MAMError> in
      Result { () throws(MAMError) in
        try live.commit { [owners] transaction throws(SQLiteError) in
          let before = try transaction.connection.screenUses()
          let open = try transaction.connection.openChallenges(at: transaction.now)
          var after = before.current(at: transaction.now, open, owners)
          body(&after)
          try transaction.replace(before, by: after)
          return after.map(\.expires).min()
        }
      }
    }
    switch outcome {
    case .success(let next?): settleLater(at: next)
    case .success(nil): break
    case .failure(let error):
      guard let log = try? live.refresh().log else { return }
      log.write(.warning, .conditionalLaunch, "cannot store that a screen is up: \(public: error.message)")
    }
  }

  /// On the system clock, settles when the next use expires. A manual clock settles when it is moved.
  func settleLater(at time: Timestamp) {
    guard live.configuration.clock.manual == nil, times.plan(time) else { return }
    let delay = Duration.milliseconds(max(0, time.milliseconds - live.now.milliseconds) + 1)
    Task(executorPreference: BlockingExecutor.shared) { [weak live = live.stored, owners, times] in
      try? await Task.sleep(for: delay)
      times.didRun(time)
      guard let live else { return }
      Screens(live: live, owners: owners, times: times).settle()
    }
  }
}

extension [ScreenUse] {
  fileprivate func includeScreen(of use: ScreenUse) -> Bool {
    contains { $0.challenge == use.challenge && $0.window == use.window }
  }

  /// The uses that have not ended by themselves.
  fileprivate func current(at now: Timestamp, _ openChallenges: Set<String>, _ owners: ScreenOwners) -> [ScreenUse] {
    filter { use in
      guard use.expires > now else { return false }
      return use.isRequest ? owners.isThere(use.owner.connection) : openChallenges.contains(use.challenge)
    }
  }
}

extension String {
  /// The connection of an owner, without the number of its request.
  fileprivate var connection: String { String(prefix { $0 != "#" }) }
}
