import Support
import TenantClient

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

    /// Serves the metrics until the task is cancelled.
    func serve() async {
      guard let address else { return }
      let page = MetricsPage { [self] in text }
      var server = NetworkServer([NetworkServer.Listener(address, responder: page)]) { _ in }
      server.endsAtSignals = false
      server.didStart = { printError("{\"metrics\":\"\($0[0])\"}") }
      do throws(NetworkError) { try await server.run() } catch { printError("mambridge-tenant: \(error.description)") }
    }
  #else
    init(at url: String?) throws {
      if url != nil { throw CommandFailure.noNetwork }
    }

    func serve() async {}
  #endif

  func note(_ result: Result<PullRun.Outcome, PullFailure>) {
    state.withLock { state in
      switch result {
      case .success:
        (state.isFailing, state.held, state.lastSuccess) = (false, 0, SystemClock().now)
      case .failure(let failure):
        state.failures += 1
        (state.isFailing, state.held) = (true, failure.removals)
      }
    }
  }

  /// In Prometheus' text format.
  var text: String {
    let state = state.withLock { $0 }
    let rows: [(name: String, type: String, help: String, value: Int64)] = [
      (
        "mambridge_pull_held_removals", "gauge",
        "What the last pull would have removed, so that it changed nothing; 0 if it was not held back.",
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
