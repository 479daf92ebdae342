import HTTP
import Support

/// Counts what happens, for Prometheus.
package final class ServiceMetrics: Sendable {
  enum Event: Sendable {
    case checkIn(CheckIn.Outcome)
    case enrollment
    case refusedToken
    case storeFailure
    case endedRegistrations(Int)
  }

  private struct State {
    /// By the name of the series with its labels.
    var counters: [String: Int] = [:]
    var durations: [String: Histogram] = [:]
  }

  private struct Histogram {
    /// In seconds.
    static let bounds = [0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 5, 30]

    var counts = [Int](repeating: 0, count: bounds.count)
    var count = 0
    var sum = 0.0

    mutating func add(_ seconds: Double) {
      count += 1
      sum += seconds
      for (index, bound) in Self.bounds.enumerated() where seconds <= bound { counts[index] += 1 }
    }
  }

  private let state = Lock(State())

  package init() {}

  func count(_ event: Event) {
    switch event {
    case .checkIn(let outcome): add(1, to: "mambridge_check_ins_total{outcome=\"\(outcome.rawValue)\"}")
    case .enrollment: add(1, to: "mambridge_enrollments_total")
    case .refusedToken: add(1, to: "mambridge_refused_tokens_total")
    case .storeFailure: add(1, to: "mambridge_store_failures_total")
    case .endedRegistrations(let count): add(count, to: "mambridge_ended_registrations_total")
    }
  }

  /// `route` is a pattern, so that there are few.
  func count(route: String, status: Int, seconds: Double) {
    state.withLock { state in
      state.counters["mambridge_requests_total{route=\"\(route)\",status=\"\(status)\"}", default: 0] += 1
      state.durations[route, default: Histogram()].add(seconds)
    }
  }

  private func add(_ count: Int, to series: String) { state.withLock { $0.counters[series, default: 0] += count } }

  /// The counters in Prometheus' text format, with the values of the moment.
  package func text(gauges: [(name: String, help: String, value: Int64)]) -> String {
    let (counters, durations) = state.withLock { ($0.counters, $0.durations) }
    var lines: [String] = []
    for gauge in gauges {
      lines += ["# HELP \(gauge.name) \(gauge.help)", "# TYPE \(gauge.name) gauge", "\(gauge.name) \(gauge.value)"]
    }
    var last = ""
    for (series, value) in counters.sorted(by: { $0.key < $1.key }) {
      let name = String(series.prefix { $0 != "{" })
      if name != last { lines.append("# TYPE \(name) counter") }
      last = name
      lines.append("\(series) \(value)")
    }
    return (lines + Self.histograms(durations)).joined(separator: "\n") + "\n"
  }

  private static func histograms(_ durations: [String: Histogram]) -> [String] {
    let name = "mambridge_request_duration_seconds"
    var lines = durations.isEmpty ? [] : ["# TYPE \(name) histogram"]
    for (route, histogram) in durations.sorted(by: { $0.key < $1.key }) {
      let label = "route=\"\(route)\""
      for (bound, count) in zip(Histogram.bounds, histogram.counts) {
        lines.append("\(name)_bucket{\(label),le=\"\(bound)\"} \(count)")
      }
      lines.append("\(name)_bucket{\(label),le=\"+Inf\"} \(histogram.count)")
      lines += ["\(name)_sum{\(label)} \(histogram.sum)", "\(name)_count{\(label)} \(histogram.count)"]
    }
    return lines
  }
}

/// Serves the metrics. Belongs on a listener of its own, which only the operator reaches.
package struct MetricsPage: HTTPResponder {
  private let text: @Sendable () -> String

  /// `text` is in Prometheus' text format.
  package init(_ text: @escaping @Sendable () -> String) {
    self.text = text
  }

  package init(_ service: TenantService) {
    self.init { service.metricsText }
  }

  package func response(to request: HTTPRequest, from peer: String) async -> HTTPResponse {
    guard HTTPTarget(request.url)?.path == ["metrics"] else { return Problem(.notFound, "use /metrics").response }
    guard request.method == "GET" else { return Problem.methodNotAllowed(["GET"]).response }
    return HTTPResponse(
      200, headers: HTTPHeaders(["Content-Type": "text/plain; version=0.0.4; charset=utf-8"]), body: Array(text().utf8))
  }
}
