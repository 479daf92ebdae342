/// What the connections of a server may ask of it, each on its own but for their number.
package struct SessionLimits: Sendable {
  /// Of a progress token as it is written; fixed.
  package static let progressTokenBytes = 1024

  package var messageBytes = 64 << 20
  package var scan = ScanLimits()
  package var replyBytes = 64 << 20
  /// Calls whose work is not done; one more gets -32004. In a script those are what waits for events.
  package var inFlight = 1024
  /// Bytes of the params of those; reading pauses there, for no longer than a question to the host may stay open.
  package var inFlightBytes = 256 << 20
  /// Requests of a script that are read and not begun, elements of batches included; reading pauses there.
  package var waitingRequests = 1024
  /// Bytes of those; reading pauses there too.
  package var waitingBytes = 64 << 20
  /// Replies not yet taken by the host, in bytes; reading pauses there.
  package var outputBytes = 8 << 20
  package var connections = 64
  /// Connections before authentication, beside the others.
  package var unauthenticatedConnections = 16
  package var unauthenticatedSeconds = 10
  /// A message before authentication.
  package var unauthenticatedMessageBytes = 4096

  package init() {}
}

// MARK: - By name

extension SessionLimits {
  /// What waits in a script is held to the same numbers as a message and what is in flight.
  package subscript(name: LimitName) -> Int {
    get { self[keyPath: Self.paths(name)[0]] }
    set { for path in Self.paths(name) { self[keyPath: path] = newValue } }
  }

  private static func paths(_ name: LimitName) -> [WritableKeyPath<SessionLimits, Int>] {
    switch name {
    case .message: [\.messageBytes, \.waitingBytes]
    case .nesting: [\.scan.nesting]
    case .values: [\.scan.values]
    case .batch: [\.scan.batch]
    case .reply: [\.replyBytes]
    case .inFlight: [\.inFlight, \.waitingRequests]
    case .inFlightBytes: [\.inFlightBytes]
    case .output: [\.outputBytes]
    case .connections: [\.connections]
    case .unauthenticated: [\.unauthenticatedConnections]
    case .unauthenticatedSeconds: [\.unauthenticatedSeconds]
    case .unauthenticatedMessage: [\.unauthenticatedMessageBytes]
    }
  }

  /// One limit as `NAME=VALUE`.
  package mutating func set(flag: String) throws(LimitFlagError) {
    let parts = flag.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
    guard let name = LimitName(rawValue: String(parts[0])) else { throw .unknownName(String(parts[0])) }
    guard parts.count == 2, let value = Int(parts[1]), name.range.contains(value) else { throw .outOfRange(name) }
    self[name] = value
  }
}

/// What is wrong with a limit as the command line gives it.
package enum LimitFlagError: Error, Equatable, CustomStringConvertible {
  case unknownName(String)
  case outOfRange(LimitName)

  package var description: String {
    switch self {
    case .unknownName(let name):
      "there is no limit \"\(name)\"; known are \(LimitName.allCases.map(\.rawValue).joined(separator: ", "))"
    case .outOfRange(let name):
      "the limit \(name.rawValue) takes a whole number from \(name.range.lowerBound) to \(name.range.upperBound)"
    }
  }
}
