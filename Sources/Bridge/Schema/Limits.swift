import JSON
import JSONRPC

/// What one connection may ask, as the document and `data.limit` of -32004 name it.
enum Limits {
  /// With the values that hold unless the command line gives others.
  static let json = JSONObject(
    LimitName.allCases.map { entry($0.rawValue, SessionLimits()[$0], summary(of: $0)) }
      + fixed.map { entry($0.name, $0.value, $0.summary + " Fixed.") })

  /// By the names in `data.limit`.
  static func values(_ limits: SessionLimits) -> [String: Int] {
    let settable = LimitName.allCases.map { ($0.rawValue, limits[$0]) }
    return Dictionary(settable + fixed.map { ($0.name, $0.value) }) { value, _ in value }
  }

  private static let fixed: [(name: String, value: Int, summary: String)] = [
    ("id", ScanLimits().idBytes, "Bytes of an id as it is written; a longer one is -32600."),
    ("progressToken", SessionLimits.progressTokenBytes, "Bytes of a progress token as it is written."),
    ("header", FrameDecoder.maximumHeaderBytes, "Bytes of the block of headers before a message; then the input ends."),
  ]

  private static func entry(_ name: String, _ value: Int, _ summary: String) -> (String, JSONValue) {
    (name, ["value": .integer(Int64(value)), "summary": .string(summary)])
  }

  private static func summary(of limit: LimitName) -> String {
    switch limit {
    case .message: "Bytes of a message."
    case .nesting: "Arrays and objects inside each other."
    case .values: "JSON values in a message, at every depth."
    case .batch: "Elements of a batch."
    case .reply: "Bytes of a reply, and of all replies to the batches that are open at one time."
    case .inFlight: "Requests of a host in flight; a script's reader pauses where as many wait."
    case .inFlightBytes: "Bytes of the params of requests in flight; a host's reader pauses there."
    case .output: "Bytes that a host has not taken yet; reading pauses there."
    case .connections: "Authenticated connections at one time, those of all listeners together."
    case .unauthenticated: "Connections beside those that have not authenticated yet."
    case .unauthenticatedSeconds: "Until a connection that has not authenticated is closed."
    case .unauthenticatedMessage: "Bytes of a message before authentication; data.limit is message then."
    }
  }
}
