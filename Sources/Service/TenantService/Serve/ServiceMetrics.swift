import HTTP
import Support

/// Counts what happens, for Prometheus.
package final class ServiceMetrics: Sendable {
  enum Event: Sendable {
    case checkIn(CheckIn.Outcome)
    case enrollment
    case refusedEnrollment
    case refusedToken
    case storeFailure
    case endedRegistrations(Int)
    case displacedPolls(Int)
  }

  /// What is counted, apart from requests.
  private enum Counter: String, CaseIterable {
    case checkIns = "mambridge_check_ins_total"
    case enrollments = "mambridge_enrollments_total"
    case refusedEnrollments = "mambridge_refused_enrollments_total"
    case refusedTokens = "mambridge_refused_tokens_total"
    case storeFailures = "mambridge_store_failures_total"
    case endedRegistrations = "mambridge_ended_registrations_total"
    case displacedPolls = "mambridge_displaced_polls_total"

    var help: String {
      switch self {
      case .checkIns: "Check-ins, by what they were answered."
      case .enrollments: "Registrations that began, or began again."
      case .refusedEnrollments: "Enrollments of users who have too many registrations."
      case .refusedTokens: "Tokens that are not valid. The log has the reasons."
      case .storeFailures: "Failures of the store. The log has the reasons."
      case .endedRegistrations: "Registrations that ended because they were not seen for long."
      case .displacedPolls: "Waits for changes that newer ones of the same registrations have ended."
      }
    }

    /// All of its series.
    var series: [String] {
      self == .checkIns ? CheckIn.Outcome.allCases.map(Self.checkIns) : [rawValue]
    }

    static func checkIns(_ outcome: CheckIn.Outcome) -> String {
      "\(checkIns.rawValue){outcome=\"\(outcome.rawValue)\"}"
    }
  }

  private struct State {
    /// By the name of the series with its labels. What an alarm may look at is there from the start, because nothing can
    /// be said of how much a series has risen that begins with its first event.
    var counters: [String: Int]
    var durations: [String: Histogram]

    init() {
      let requests = Route.patterns.flatMap { route in
        ServiceMetrics.usualStatuses.map { ServiceMetrics.requests(route, $0) }
      }
      let series = Counter.allCases.flatMap(\.series) + requests
      counters = Dictionary(uniqueKeysWithValues: series.map { ($0, 0) })
      durations = Dictionary(uniqueKeysWithValues: Route.patterns.map { ($0, Histogram()) })
    }
  }

  private static let requests = "mambridge_requests_total"
  private static let usualStatuses = [200, 401, 403, 429, 500, 503]

  private static func requests(_ route: String, _ status: Int) -> String {
    "\(requests){route=\"\(route)\",status=\"\(status)\"}"
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
    case .checkIn(let outcome): add(1, to: Counter.checkIns(outcome))
    case .enrollment: add(1, to: .enrollments)
    case .refusedEnrollment: add(1, to: .refusedEnrollments)
    case .refusedToken: add(1, to: .refusedTokens)
    case .storeFailure: add(1, to: .storeFailures)
    case .endedRegistrations(let count): add(count, to: .endedRegistrations)
    case .displacedPolls(let count): add(count, to: .displacedPolls)
    }
  }

  /// `route` is a pattern, so that there are few.
  func count(route: String, status: Int, seconds: Double) {
    state.withLock { state in
      state.counters[Self.requests(route, status), default: 0] += 1
      state.durations[route, default: Histogram()].add(seconds)
    }
  }

  private func add(_ count: Int, to counter: Counter) { add(count, to: counter.rawValue) }

  private func add(_ count: Int, to series: String) { state.withLock { $0.counters[series, default: 0] += count } }

  /// A number of the moment, or one that another part of the service counts.
  package struct Reading: Sendable {
    package enum Kind: String, Sendable { case gauge, counter }

    let name: String
    let kind: Kind
    let help: String
    let value: Int64

    package init(_ name: String, _ value: Int64, _ help: String, kind: Kind = .gauge) {
      (self.name, self.kind, self.help, self.value) = (name, kind, help, value)
    }
  }

  /// The counters in Prometheus' text format, with what is read now.
  package func text(_ readings: [Reading]) -> String {
    let (counters, durations) = state.withLock { ($0.counters, $0.durations) }
    var lines: [String] = []
    for reading in readings {
      lines += Self.head(reading.name, reading.kind, reading.help) + ["\(reading.name) \(reading.value)"]
    }
    for counter in Counter.allCases {
      lines += Self.head(counter.rawValue, .counter, counter.help)
      lines += counter.series.map { "\($0) \(counters[$0] ?? 0)" }
    }
    lines += Self.head(Self.requests, .counter, "Requests, by route and status.")
    lines += counters.filter { $0.key.hasPrefix(Self.requests) }.map { "\($0.key) \($0.value)" }.sorted()
    return (lines + Self.histograms(durations)).joined(separator: "\n") + "\n"
  }

  private static func head(_ name: String, _ kind: Reading.Kind, _ help: String) -> [String] {
    ["# HELP \(name) \(help)", "# TYPE \(name) \(kind.rawValue)"]
  }

  private static func histograms(_ durations: [String: Histogram]) -> [String] {
    let name = "mambridge_request_duration_seconds"
    var lines = ["# HELP \(name) How long requests took, by route.", "# TYPE \(name) histogram"]
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

  /// `connections` counts those of the service, and those of clients that have not proved who they are.
  package init(
    _ service: TenantService, connections: @escaping @Sendable () -> (open: Int, unauthenticated: Int) = { (0, 0) }
  ) {
    self.init {
      let (open, unauthenticated) = connections()
      return service.metricsText(with: [
        ServiceMetrics.Reading("mambridge_connections", Int64(open), "Open connections of clients and proxies."),
        ServiceMetrics.Reading(
          "mambridge_unauthenticated_connections", Int64(unauthenticated),
          "Open connections on which no request has proved yet who sent it."),
      ])
    }
  }

  package func response(to request: HTTPRequest, from peer: String) async -> HTTPResponse {
    guard HTTPTarget(request.url)?.path == ["metrics"] else { return Problem(.notFound, "use /metrics").response }
    guard request.method == "GET" else { return Problem.methodNotAllowed(["GET"]).response }
    return HTTPResponse(
      200, headers: HTTPHeaders(["Content-Type": "text/plain; version=0.0.4; charset=utf-8"]), body: Array(text().utf8))
  }
}
