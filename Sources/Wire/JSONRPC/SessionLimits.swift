/// An exceeded limit and its value: `data.limit` and `data.value` of a -32004.
package struct LimitExcess: Error, Hashable {
  package let name: LimitName
  package let value: Int

  package init(_ name: LimitName, _ value: Int) {
    self.name = name
    self.value = value
  }
}

/// The limits as `data.limit`, `initialize` and the command line name them.
package enum LimitName: String, CaseIterable, Sendable {
  case message, nesting, values, batch, reply, inFlight, inFlightBytes, output, connections
  /// For connections that have not authenticated yet: how many beside the others, for how long, with what size of
  /// message.
  case unauthenticated, unauthenticatedSeconds, unauthenticatedMessage

  /// Whether the same message may succeed later. True for limits on the server's current load.
  package var isRetryable: Bool {
    switch self {
    case .message, .nesting, .values, .batch, .reply, .unauthenticatedMessage, .unauthenticatedSeconds: false
    case .inFlight, .inFlightBytes, .output, .connections, .unauthenticated: true
    }
  }

  /// The allowed values. jansson does not support deeper nesting.
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

/// The limits of each connection, except the number of connections, which is for the whole server.
package struct SessionLimits: Sendable {
  /// The length of a progress token as written; fixed.
  package static let progressTokenBytes = 1024

  package var messageBytes = 64 << 20
  package var scan = ScanLimits()
  package var replyBytes = 64 << 20
  /// Calls whose work is not done; one more gets -32004. In a script, these are the calls that wait for events.
  package var inFlight = 1024
  /// Bytes of the params of calls in flight. Reading pauses at this limit, but no longer than a question to the host
  /// may stay open.
  package var inFlightBytes = 256 << 20
  /// Requests of a script that were read but not started, including elements of batches. Reading pauses at this limit.
  package var waitingRequests = 1024
  /// Bytes of these requests. Reading pauses at this limit, too.
  package var waitingBytes = 64 << 20
  /// Bytes of replies that the host has not read. Reading pauses at this limit.
  package var outputBytes = 8 << 20
  package var connections = 64
  /// Connections that have not authenticated yet, beside the others.
  package var unauthenticatedConnections = 16
  package var unauthenticatedSeconds = 10
  /// The size of a message before authentication.
  package var unauthenticatedMessageBytes = 4096

  package init() {}
}

// MARK: - By name

extension SessionLimits {
  /// Waiting requests of a script have the same limits as a message and calls in flight.
  package subscript(name: LimitName) -> Int {
    get {
      var (limits, value) = (self, 0)
      limits.visit(name) { value = $0 }
      return value
    }
    set { visit(name) { $0 = newValue } }
  }

  /// Not with key paths, which look types up at run time.
  private mutating func visit(_ name: LimitName, _ body: (inout Int) -> Void) {
    switch name {
    case .message:
      body(&messageBytes)
      body(&waitingBytes)
    case .nesting: body(&scan.nesting)
    case .values: body(&scan.values)
    case .batch: body(&scan.batch)
    case .reply: body(&replyBytes)
    case .inFlight:
      body(&inFlight)
      body(&waitingRequests)
    case .inFlightBytes: body(&inFlightBytes)
    case .output: body(&outputBytes)
    case .connections: body(&connections)
    case .unauthenticated: body(&unauthenticatedConnections)
    case .unauthenticatedSeconds: body(&unauthenticatedSeconds)
    case .unauthenticatedMessage: body(&unauthenticatedMessageBytes)
    }
  }

  /// Sets a limit given as `NAME=VALUE`.
  package mutating func set(flag: String) throws(LimitFlagError) {
    let parts = flag.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
    guard let name = LimitName(rawValue: String(parts[0])) else { throw .unknownName(String(parts[0])) }
    guard parts.count == 2, let value = Int(parts[1]), name.range.contains(value) else { throw .outOfRange(name) }
    self[name] = value
  }
}

/// An error in a limit on the command line.
package enum LimitFlagError: Error, Equatable, CustomStringConvertible {
  case unknownName(String)
  case outOfRange(LimitName)

  package var description: String {
    switch self {
    case .unknownName(let name):
      "there is no limit \"\(name)\". Known limits: \(LimitName.allCases.map(\.rawValue).joined(separator: ", "))"
    case .outOfRange(let name):
      "the limit \(name.rawValue) must be a whole number from \(name.range.lowerBound) to \(name.range.upperBound)"
    }
  }
}

/// The limits of one message, except its length, which the frame decoder checks.
package struct ScanLimits: Hashable, Sendable {
  /// Open containers, including the outermost.
  package var nesting = 512
  /// Values of every kind at every depth, including the outermost; names do not count.
  package var values = 1_000_000
  /// Elements of a batch.
  package var batch = 1000
  /// Bytes of an id as written, including quotes.
  package var idBytes = 1024

  package init(nesting: Int = 512, values: Int = 1_000_000, batch: Int = 1000, idBytes: Int = 1024) {
    self.nesting = nesting
    self.values = values
    self.batch = batch
    self.idBytes = idBytes
  }
}
