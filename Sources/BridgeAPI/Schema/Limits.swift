import JSON
import JSONRPC

/// What one connection may ask, as the document and `data.limit` of -32004 name it.
package enum Limits {
  static let json = JSONObject(
    LimitName.allCases.map { name in
      (name.rawValue, ["value": .integer(Int64(value(of: name))), "summary": .string(summary(of: name))])
    })

  /// By the names in `data.limit`.
  package static let values = Dictionary(uniqueKeysWithValues: LimitName.allCases.map { ($0.rawValue, value(of: $0)) })

  private static func value(of limit: LimitName) -> Int {
    let defaults = SessionLimits()
    return switch limit {
    case .message: defaults.messageBytes
    case .nesting: defaults.scan.nesting
    case .values: defaults.scan.values
    case .batch: defaults.scan.batch
    case .reply: defaults.replyBytes
    case .inFlight: defaults.inFlight
    case .output: defaults.outputBytes
    case .connections: 64
    }
  }

  private static func summary(of limit: LimitName) -> String {
    switch limit {
    case .message: "Bytes of a message."
    case .nesting: "Arrays and objects inside each other."
    case .values: "JSON values in a message, at every depth."
    case .batch: "Elements of a batch."
    case .reply: "Bytes of a reply, and of all replies to a batch."
    case .inFlight: "Requests of a host in flight; a script's reader pauses where as many wait."
    case .output: "Bytes that a host has not taken yet; reading pauses there."
    case .connections: "Authenticated connections at one time."
    }
  }
}
