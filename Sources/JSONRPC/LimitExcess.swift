/// The limits as `data.limit` names them.
package enum LimitName: String, CaseIterable, Sendable {
  case message, nesting, values, batch, reply, inFlight, output, connections

  /// Whether the same message may pass later: true for limits on what the server is busy with.
  package var isRetryable: Bool {
    switch self {
    case .message, .nesting, .values, .batch, .reply: false
    case .inFlight, .output, .connections: true
    }
  }
}

/// A limit that was passed, and what it allows: `data.limit` and `data.value` of a -32004.
package struct LimitExcess: Error, Hashable {
  package let name: LimitName
  package let value: Int

  package init(_ name: LimitName, _ value: Int) {
    self.name = name
    self.value = value
  }
}
