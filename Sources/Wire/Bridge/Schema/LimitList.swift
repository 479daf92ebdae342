import JSON
import JSONRPC

/// The limits of a connection, by the names that the document and `data.limit` of error -32004 use.
enum Limits {
  /// All limits with their default values. The command line can change the settable limits.
  static let json = JSONObject(
    LimitName.allCases.map { entry($0.rawValue, SessionLimits()[$0], summary(of: $0)) }
      + fixed.map { entry($0.name, $0.value, $0.summary + " Cannot be changed.") })

  /// The values in force, by the names in `data.limit`.
  static func values(_ limits: SessionLimits) -> [String: Int] {
    let settable = LimitName.allCases.map { ($0.rawValue, limits[$0]) }
    return Dictionary(settable + fixed.map { ($0.name, $0.value) }) { value, _ in value }
  }

  private static let fixed: [(name: String, value: Int, summary: String)] = [
    ("id", ScanLimits().idBytes, "Bytes of a request id as written; a longer id is error -32600."),
    ("progressToken", SessionLimits.progressTokenBytes, "Bytes of a progress token as written."),
    (
      "header", FrameDecoder.maximumHeaderBytes,
      "Bytes of the header block before a message; a longer block ends the input."
    ),
  ]

  private static func entry(_ name: String, _ value: Int, _ summary: String) -> (String, JSONValue) {
    (name, ["value": .integer(Int64(value)), "summary": .string(summary)])
  }

  private static func summary(of limit: LimitName) -> String {
    switch limit {
    case .message: "Bytes of a message."
    case .nesting: "Levels of nested arrays and objects."
    case .values: "JSON values in a message, at all levels together."
    case .batch: "Elements of a batch."
    case .reply: "Bytes of a reply, and of all replies to the batches that are open at the same time."
    case .inFlight: "Requests of a host in flight. A script is not read while this many requests wait."
    case .inFlightBytes: "Bytes of the params of requests in flight. Past the limit, the host is not read."
    case .output: "Bytes of output that a host has not read yet. Past the limit, the host is not read."
    case .connections: "Authenticated connections at the same time, over all listeners."
    case .unauthenticated: "Additional connections that have not authenticated yet."
    case .unauthenticatedSeconds: "Seconds until a connection that has not authenticated is closed."
    case .unauthenticatedMessage:
      "Bytes of a message before authentication. In the error, data.limit is message."
    }
  }
}
