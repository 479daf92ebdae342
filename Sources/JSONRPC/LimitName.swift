/// The limits as `data.limit`, `initialize` and the command line name them.
package enum LimitName: String, CaseIterable, Sendable {
  case message, nesting, values, batch, reply, inFlight, inFlightBytes, output, connections
  /// Of connections that have not authenticated yet: how many beside the others, for how long, with what message.
  case unauthenticated, unauthenticatedSeconds, unauthenticatedMessage

  /// Whether the same message may pass later: true for limits on what the server is busy with.
  package var isRetryable: Bool {
    switch self {
    case .message, .nesting, .values, .batch, .reply, .unauthenticatedMessage, .unauthenticatedSeconds: false
    case .inFlight, .inFlightBytes, .output, .connections, .unauthenticated: true
    }
  }

  /// What it may be set to. Deeper nesting is more than jansson takes.
  package var range: ClosedRange<Int> {
    switch self {
    case .message, .reply, .inFlightBytes, .output, .unauthenticatedMessage: 1...1 << 30
    case .nesting: 1...1024
    case .values: 1...100_000_000
    case .batch, .inFlight: 1...1_000_000
    case .connections, .unauthenticated: 1...10_000
    case .unauthenticatedSeconds: 1...3600
    }
  }
}
