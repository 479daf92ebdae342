import Support

/// One app on one device: its accounts, their policies and configuration, and the keys of their data.
///
/// Nothing is touched until the first call that needs it. Questions are answered from memory; any number of cores, in
/// any number of processes, may share a state folder and see each other's changes at the next call.
public final class Core: Sendable {
  let configuration: CoreConfiguration
  /// Held while the state folder is opened, unlike other locks: nothing on a reading thread ever takes it.
  private let opened = Lock<CoreServices?>(nil)
  private let snapshot = Lock<Snapshot?>(nil)

  private struct Snapshot: Sendable {
    let state: CoreState
    let epoch: UInt64
    let page: EpochPage
  }

  public init(_ configuration: CoreConfiguration) {
    self.configuration = configuration
  }

  /// What questions read, when it is all that was ever committed by any process: one atomic load. Else nil, and
  /// `refresh` is due.
  package var currentState: CoreState? {
    snapshot.withLock { $0.flatMap { $0.epoch == $0.page.value ? $0.state : nil } }
  }

  /// What the last `refresh` read; empty before the first.
  package var state: CoreState {
    snapshot.withLock { $0?.state } ?? CoreState(configuration: configuration)
  }

  /// Opens the state folder when it is not open yet, and reads what has changed in it. May block.
  @discardableResult
  package func refresh() throws(MAMError) -> CoreServices {
    let services = try services()
    let epoch = services.epochPage.value
    guard snapshot.withLock({ $0?.epoch }) != epoch else { return services }
    let state = CoreState(try services.store.load(), configuration: configuration)
    for warning in state.warnings { services.log.write(.warning, .policy, "\(public: warning)") }
    snapshot.withLock { snapshot in
      guard (snapshot?.epoch ?? 0) <= epoch else { return }
      snapshot = Snapshot(state: state, epoch: epoch, page: services.epochPage)
    }
    return services
  }

  /// The time by the injected clock; never before the latest time that the store has seen.
  var now: Timestamp { max(configuration.clock.now, state.latestTime ?? configuration.clock.now) }

  private func services() throws(MAMError) -> CoreServices {
    try opened.withLock { services throws(MAMError) in
      if let services { return services }
      let new = try CoreServices(self)
      services = new
      return new
    }
  }
}
