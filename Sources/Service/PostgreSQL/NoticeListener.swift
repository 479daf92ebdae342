#if TenantService
  import Database
  import Support

  /// Waits for notices of all processes, on a connection and a thread of its own.
  final class NoticeListener: Sendable {
    /// The channel of all notices.
    static let channel = "mambridge_tenant"

    private struct State {
      var bodies: [@Sendable (DatabaseNotice) -> Void] = []
      var isStarted = false
      var isClosed = false
    }

    private let options: PostgreSQLOptions
    private let interval: Duration
    private let state = Lock(State())
    private let wakeUp = EventDescriptor()
    private let threads = WorkThreads()

    /// `interval` is how often listeners look at everything, whatever they have heard.
    init(_ options: PostgreSQLOptions, interval: Duration = .seconds(30)) {
      self.options = options
      self.interval = interval
    }

    /// The first call starts the thread. If no thread can be started, the next call tries again.
    func add(_ body: @escaping @Sendable (DatabaseNotice) -> Void) {
      let mustStart = state.withLock { state in
        state.bodies.append(body)
        defer { state.isStarted = true }
        return !state.isStarted && !state.isClosed
      }
      guard mustStart else { return }
      do throws(DatabaseError) {
        try threads.start { self.run() }
      } catch {
        state.withLock { $0.isStarted = false }
      }
    }

    func stop() {
      state.withLock { $0.isClosed = true }
      wakeUp.signal()
    }

    func stopped() async { await threads.ended() }

    private var isClosed: Bool { state.withLock { $0.isClosed } }

    private func run() {
      var backOff = BackOff.ofConnections
      var schedule = Schedule(interval: interval)
      while !isClosed {
        do throws(PostgreSQLFailure) {
          let connection = try PostgreSQLConnection(options)
          try connection.run("LISTEN \(Self.channel)")
          backOff = BackOff.ofConnections
          // Whatever was sent before is lost.
          notify(.missed)
          schedule = Schedule(interval: interval)
          try listen(on: connection, &schedule)
        } catch {
          if schedule.isDue() { notify(.missed) }
          if !isClosed { wakeUp.wait(atMost: backOff.next()) }
        }
      }
    }

    /// Returns when the listener is closed. Throws when the connection is lost.
    private func listen(on connection: PostgreSQLConnection, _ schedule: inout Schedule) throws(PostgreSQLFailure) {
      while !isClosed {
        // Before the wait, because some may have come with the answer to a statement.
        for text in connection.takeNotices() { notify(.sent(text)) }
        if let loss = connection.loss { throw loss }
        _ = wakeUp.wait(orFor: connection.descriptor, atMost: schedule.rest)
        guard schedule.isDue() else { continue }
        // A connection that nobody writes to does not notice that the server is gone.
        try connection.run("SELECT 1")
        notify(.missed)
      }
    }

    private func notify(_ notice: DatabaseNotice) {
      for body in state.withLock({ $0.bodies }) { body(notice) }
    }
  }

  /// Something that is due again and again.
  private struct Schedule {
    let interval: Duration
    private var next: ContinuousClock.Instant

    init(interval: Duration) {
      self.interval = interval
      next = .now + interval
    }

    var rest: Duration { ContinuousClock.now.duration(to: next) }

    /// Whether the time has come. If so, it comes again after the interval.
    mutating func isDue() -> Bool {
      guard rest <= .zero else { return false }
      next = .now + interval
      return true
    }
  }
#endif
