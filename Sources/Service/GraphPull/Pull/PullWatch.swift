import Support

/// Pulls again and again, until its task is canceled. A pull that fails is reported, and the next one comes at its time.
package struct PullWatch: Sendable {
  package static let shortest = Duration.seconds(60)

  private let interval: Duration
  private let sleep: @Sendable (Duration) async throws -> Void

  /// Intervals below a minute count as a minute: a pull asks Graph for everything.
  package init(
    every interval: Duration,
    sleep: @escaping @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) }
  ) {
    self.interval = max(interval, Self.shortest)
    self.sleep = sleep
  }

  /// `report` gets the outcome of each pull that was not canceled.
  package func run(
    _ pull: @Sendable () async -> Result<PullRun.Outcome, PullFailure>,
    report: @Sendable (Result<PullRun.Outcome, PullFailure>) -> Void
  ) async {
    while !Task.isCancelled {
      let outcome = await pull()
      if case .failure = outcome, Task.isCancelled { return }
      report(outcome)
      do { try await sleep(interval) } catch { return }
    }
  }
}
