import HTTP

/// What a path leads to.
enum Route: Hashable, Sendable {
  case description
  case checkIn
  case report(registration: String, operation: String)
  case changes
  case registration(String)
  case live
  case ready
  case graph

  init?(_ path: [String]) {
    switch (path.first, path.dropFirst().first, Array(path.dropFirst(2))) {
    case (let version?, _, _) where Self.graphVersions.contains(version): self = .graph
    case ("mam", "v1", []), ("mam", "v1", [""]): self = .description
    case ("mam", "v1", ["check-in"]): self = .checkIn
    case ("mam", "v1", ["changes"]): self = .changes
    case ("mam", "v1", let rest) where rest.count == 2 && rest[0] == "registrations": self = .registration(rest[1])
    case ("mam", "v1", let rest) where rest.count == 4 && rest[0] == "registrations" && rest[2] == "operations":
      self = .report(registration: rest[1], operation: rest[3])
    case ("health", "live", []): self = .live
    case ("health", "ready", []): self = .ready
    default: return nil
    }
  }

  private static let graphVersions = ["v1.0", "beta"]

  /// Whether a URL is below the paths of Graph, also if the rest of it is no path.
  static func isGraph(_ url: String) -> Bool {
    graphVersions.contains(String(url.dropFirst().prefix { $0 != "/" && $0 != "?" }))
  }

  /// As OpenAPI writes it.
  var pattern: String {
    switch self {
    case .description: "/mam/v1/"
    case .checkIn: "/mam/v1/check-in"
    case .report: "/mam/v1/registrations/{id}/operations/{operation}"
    case .changes: "/mam/v1/changes"
    case .registration: "/mam/v1/registrations/{id}"
    case .live: "/health/live"
    case .ready: "/health/ready"
    case .graph: "graph"
    }
  }

  /// The label of requests that lead nowhere.
  static let nowhere = "other"

  /// All labels of requests.
  static let patterns: [String] =
    [description, checkIn, report(registration: "", operation: ""), changes, registration(""), live, ready, graph]
    .map(\.pattern) + [nowhere]

  /// Empty for the routes that check the method themselves.
  var methods: [String] {
    switch self {
    case .description, .live, .ready: ["GET"]
    case .checkIn, .report, .changes: ["POST"]
    case .registration: ["DELETE"]
    case .graph: []
    }
  }
}
