import Glibc
import GraphPull
import Support

#if TenantService
  import HTTPNetwork
  import TenantService
#endif

/// What became of the pulls of a watch, for Prometheus.
final class PullMetrics: Sendable {
  private struct State {
    var failures = 0
    var isFailing = false
    var held = 0
    var lastSuccess: Timestamp?
  }

  private let state = Lock(State())

  #if TenantService
    private let address: ServerAddress?

    /// `url` is `nil` if nobody wants to know.
    init(at url: String?) throws {
      do throws(NetworkError) {
        address = try url.map { url throws(NetworkError) in try ServerAddress(url) }
      } catch {
        throw CommandFailure.configuration(error.description)
      }
      if let address, address.usesTLS || !address.isLoopback {
        throw CommandFailure.configuration("--metrics must be http://127.0.0.1:PORT or http://[::1]:PORT.")
      }
    }

    /// Serves the metrics while the body runs. Throws before the body runs if the address cannot be listened on.
    func serve(during body: () async -> Void) async throws {
      guard let address else { return await body() }
      let page = MetricsPage { [self] in text }
      var server = NetworkServer([NetworkServer.Listener(address, responder: page)]) { _ in }
      server.endsAtSignals = false
      let (starts, start) = AsyncStream.makeStream(of: ServerAddress.self)
      server.didStart = { start.yield($0[0]) }
      let running = Task { [server] () -> NetworkError? in
        defer { start.finish() }
        do throws(NetworkError) { try await server.run() } catch { return error }
        return nil
      }
      if let address = await starts.first(where: { _ in true }) {
        printError("{\"metrics\":\"\(address)\"}")
        await body()
      }
      running.cancel()
      guard let failure = await running.value else { return }
      throw CommandFailure(exitCode: EX_UNAVAILABLE, message: "--metrics: \(failure.description)")
    }
  #else
    init(at url: String?) throws {
      if url != nil { throw CommandFailure.noNetwork }
    }

    func serve(during body: () async -> Void) async throws { await body() }
  #endif

  func note(_ result: Result<PullRun.Outcome, PullFailure>) {
    state.withLock { state in
      switch result {
      case .success:
        (state.isFailing, state.held, state.lastSuccess) = (false, 0, SystemClock().now)
      case .failure(let failure):
        state.failures += 1
        state.isFailing = true
        // A pull that failed before it compared has resolved nothing.
        if failure.removals > 0 { state.held = failure.removals }
      }
    }
  }

  /// In Prometheus' text format.
  var text: String {
    let state = state.withLock { $0 }
    let rows: [(name: String, type: String, help: String, value: Int64)] = [
      (
        "mambridge_pull_held_removals", "gauge",
        "What the last pull that could compare would have removed, so that it changed nothing; 0 if it was not held back.",
        Int64(state.held)
      ),
      ("mambridge_pull_problem", "gauge", "1 if the last pull failed.", state.isFailing ? 1 : 0),
      ("mambridge_pull_failures_total", "counter", "Pulls that failed.", Int64(state.failures)),
      (
        "mambridge_pull_success_seconds", "gauge", "When the last pull succeeded, since 1970; 0 for never.",
        (state.lastSuccess?.milliseconds ?? 0) / 1000
      ),
    ]
    return rows.map { row in
      "# HELP \(row.name) \(row.help)\n# TYPE \(row.name) \(row.type)\n\(row.name) \(row.value)\n"
    }.joined()
  }
}
