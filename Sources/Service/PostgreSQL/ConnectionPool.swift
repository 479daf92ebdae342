#if TenantService
  import Database
  import Support

  /// What the threads of the connections share: the bodies that wait, and how each connection is.
  ///
  /// A call fails at once while no connection works. Each thread connects again by itself, so that calls succeed soon after
  /// the server is back.
  final class ConnectionPool: Sendable {
    enum Job {
      case alone(any PendingBody, TransactionKind)
      case group([any PendingBody])
    }

    let options: PostgreSQLOptions
    private let state: Lock<PoolState>
    private let wakeUps: [EventDescriptor]
    private let threads = WorkThreads()

    init(_ options: PostgreSQLOptions) {
      self.options = options
      wakeUps = (0..<options.connections).map { _ in EventDescriptor() }
      state = Lock(PoolState(connections: options.connections))
    }

    func start() {
      for index in wakeUps.indices {
        do throws(DatabaseError) {
          try threads.start { ConnectionThread(pool: self, index: index, wakeUp: self.wakeUps[index]).run() }
        } catch {
          lost(index, .lost(error.text))
        }
      }
    }
  }

  // MARK: - For callers

  extension ConnectionPool {
    func add(_ body: any PendingBody, _ kind: TransactionKind) {
      add(body) { $0.queue.append(PoolState.Waiting(alone: (body, kind))) }
    }

    func addToGroup(_ body: any PendingBody) {
      add(body) { state in
        state.group.append(body)
        if !state.hasGroup { state.queue.append(PoolState.Waiting(alone: nil)) }
        state.hasGroup = true
      }
    }

    private func add(_ body: any PendingBody, _ insert: (inout PoolState) -> Void) {
      let (error, thread) = state.withLock { state -> (DatabaseError?, Int?) in
        if let error = refusal(state) { return (error, nil) }
        insert(&state)
        return (nil, state.queue.isEmpty ? nil : state.idle.popLast())
      }
      if let error { body.finish(error) }
      if let thread { wakeUps[thread].signal() }
    }

    private func refusal(_ state: PoolState) -> DatabaseError? {
      if state.isClosed { return DatabaseError(.unavailable, "the database is closed") }
      if let loss = state.lastLoss, state.isLost { return loss.error }
      guard state.waitingCount < options.longestQueue else {
        return DatabaseError(.unavailable, "\(options.longestQueue) requests wait for the database already")
      }
      return nil
    }

    /// Refuses further calls. The threads end when nothing waits any more.
    func stop() {
      state.withLock { $0.isClosed = true }
      for wakeUp in wakeUps { wakeUp.signal() }
    }

    /// Returns when all connections are closed.
    func stopped() async { await threads.ended() }
  }

  // MARK: - For the threads

  extension ConnectionPool {
    var isClosed: Bool { state.withLock { $0.isClosed } }
    /// Whether nothing is left to do for a thread.
    var isOver: Bool { state.withLock { $0.isClosed && $0.queue.isEmpty } }

    func connected(_ index: Int) { state.withLock { $0.standings[index] = .connected } }

    /// The connection of a thread does not work, or is closed. If no other one works, the calls that wait fail.
    func lost(_ index: Int, _ failure: PostgreSQLFailure) {
      let (failed, thread) = state.withLock { state -> ([any PendingBody], Int?) in
        state.standings[index] = .lost
        state.lastLoss = failure
        state.idle.removeAll { $0 == index }
        if state.isLost { return (state.takeAll(), nil) }
        // It may have been woken for a body that it cannot run.
        return ([], state.queue.isEmpty ? nil : state.idle.popLast())
      }
      for body in failed { body.finish(failure.error) }
      if let thread { wakeUps[thread].signal() }
    }

    /// What a thread does next; `nil` if it must wait to be woken.
    func next(_ index: Int) -> Job? {
      let (job, late) = state.withLock { state -> (Job?, [any PendingBody]) in
        state.idle.removeAll { $0 == index }
        let (job, late) = state.takeNext(addedSince: ContinuousClock.now - options.queuePatience)
        if job == nil { state.idle.append(index) }
        return (job, late)
      }
      for body in late {
        body.finish(DatabaseError(.unavailable, "all connections to the database have been busy for too long"))
      }
      return job
    }

    func finished(_ job: Job) {
      guard case .group = job else { return }
      let thread = state.withLock { state -> Int? in
        state.hasGroup = !state.group.isEmpty
        guard state.hasGroup else { return nil }
        state.queue.append(PoolState.Waiting(alone: nil))
        return state.idle.popLast()
      }
      if let thread { wakeUps[thread].signal() }
    }
  }

  private struct PoolState {
    enum Standing: Equatable { case starting, connected, lost }

    struct Waiting {
      /// `nil` for whatever is in the group when its turn comes.
      let alone: (body: any PendingBody, kind: TransactionKind)?
      let since = ContinuousClock.now
    }

    /// How many bodies share one commit at most.
    private static let largestGroup = 256

    var queue = Queue<Waiting>()
    var group = Queue<any PendingBody>()
    /// Whether a group is in the queue or runs. There is one at a time: the next one fills up meanwhile.
    var hasGroup = false
    var standings: [Standing]
    /// The threads that have nothing to do.
    var idle: [Int] = []
    var lastLoss: PostgreSQLFailure?
    var isClosed = false

    init(connections: Int) { standings = Array(repeating: .starting, count: connections) }

    /// Whether connecting has failed, or the connection was lost, for each thread.
    var isLost: Bool { standings.allSatisfy { $0 == .lost } }
    var waitingCount: Int { queue.count + group.count }

    /// The first job, and the bodies before it that have waited for too long.
    mutating func takeNext(addedSince limit: ContinuousClock.Instant) -> (ConnectionPool.Job?, late: [any PendingBody])
    {
      var late: [any PendingBody] = []
      while let next = queue.popFirst() {
        guard let alone = next.alone else { return (.group(group.popFirst(Self.largestGroup)), late) }
        if next.since >= limit { return (.alone(alone.body, alone.kind), late) }
        late.append(alone.body)
      }
      return (nil, late)
    }

    mutating func takeAll() -> [any PendingBody] {
      let bodies = queue.popFirst(.max).compactMap { $0.alone?.body } + group.popFirst(.max)
      hasGroup = false
      return bodies
    }
  }

  /// First in, first out.
  private struct Queue<Element> {
    private var elements: [Element] = []
    private var start = 0

    var count: Int { elements.count - start }
    var isEmpty: Bool { count == 0 }

    mutating func append(_ element: Element) { elements.append(element) }

    mutating func popFirst() -> Element? { popFirst(1).first }

    mutating func popFirst(_ limit: Int) -> [Element] {
      let taken = Array(elements[start...].prefix(limit))
      start += taken.count
      // Keeps the array from growing without limit if the queue is never empty.
      if start == elements.count || start > 64 && start > elements.count / 2 {
        elements.removeSubrange(..<start)
        start = 0
      }
      return taken
    }
  }
#endif
