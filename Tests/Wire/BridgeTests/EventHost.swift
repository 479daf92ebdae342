import Glibc
import JSON
import JSONRPC
import Support
import TestSupport
import Testing

@testable import Bridge

/// A host that sees every message of its connection: replies and notifications.
final class EventHost {
  private var session: Session?
  private var text: [UInt8] = []
  private var messages: [JSONValue] = []
  private var lastID = 0

  init(_ bridge: Bridge, outputBytes: Int = 8 << 20) {
    var limits = SessionLimits()
    limits.outputBytes = outputBytes
    session = Session(handler: bridge.connect(), limits: limits) {}
  }

  /// Its id.
  @discardableResult
  func send(_ method: String, _ params: JSONValue? = nil) -> Int {
    lastID += 1
    var request: JSONObject = ["jsonrpc": "2.0", "id": .integer(Int64(lastID)), "method": .string(method)]
    request["params"] = params
    Array((request.jsonText + "\n").utf8).withUnsafeBytes { session?.receive($0) }
    return lastID
  }

  func notify(_ method: String, _ params: JSONValue) {
    let text: JSONObject = ["jsonrpc": "2.0", "method": .string(method), "params": params]
    Array((text.jsonText + "\n").utf8).withUnsafeBytes { session?.receive($0) }
  }

  /// The reply to a new request; what comes before it is kept.
  func call(_ method: String, _ params: JSONValue? = nil) throws -> JSONValue {
    let id = send(method, params)
    let reply = try reply(to: id)
    return try #require(reply["result"], "\(method): \(reply.jsonText)")
  }

  func reply(to id: Int) throws -> JSONValue { try next("the reply to \(id)") { $0["id"] == .integer(Int64(id)) } }

  /// Whether a reply has come without waiting for it.
  func hasReply(to id: Int) -> Bool {
    read()
    return messages.contains { $0["id"] == .integer(Int64(id)) }
  }

  func enroll(_ account: String = TestHost.alice) throws {
    _ = try call("enrollmentManager.registerAndEnrollAccount", ["account": .string(account)])
  }

  func unenroll(_ account: String = TestHost.alice) throws {
    _ = try call("enrollmentManager.deRegisterAndUnenrollAccount", ["account": .string(account)])
  }

  /// The next request of the server.
  func nextQuestion() throws -> JSONValue { try next("a request") { $0["method"] != nil && $0["id"] != nil } }

  /// The next request of the server, or the reply to a request.
  func nextQuestion(orReplyTo id: Int) throws -> JSONValue {
    try next("a request, or the reply to \(id)") { message in
      message["method"] == nil ? message["id"] == .integer(Int64(id)) : message["id"] != nil
    }
  }

  /// `members` of an answer: its result or its error.
  func answer(_ question: JSONValue, _ members: JSONObject) {
    var answer: JSONObject = ["jsonrpc": "2.0", "id": question["id"] ?? .null]
    for member in members.members { answer[member.name] = member.value }
    Array((answer.jsonText + "\n").utf8).withUnsafeBytes { session?.receive($0) }
  }

  /// The next notification, as an event of `events.list` shows it.
  func nextPush() throws -> JSONValue {
    let message = try next("a notification") { $0["method"] != nil && $0["id"] == nil }
    return ["type": message["method"] ?? .null, "params": message["params"] ?? .null]
  }

  func pushes(_ count: Int) throws -> [JSONValue] { try (0..<count).map { _ in try nextPush() } }

  /// The notifications that have come without waiting.
  func arrivedPushes() -> [JSONValue] {
    read()
    return messages.filter { $0["method"] != nil }
  }

  func endInput() { session?.endOfInput() }

  /// Waits for what still runs.
  var isFinished: Bool {
    waitUntil {
      session?.run()
      return session?.isFinished ?? true
    }
  }

  func closeConnection() { session = nil }

  private func next(_ wanted: String, where fits: (JSONValue) -> Bool) throws -> JSONValue {
    var found: JSONValue?
    let isThere = waitUntil {
      read()
      found = messages.firstIndex(where: fits).map { messages.remove(at: $0) }
      return found != nil
    }
    guard isThere, let found else { throw NothingCame(wanted: wanted, instead: messages.map(\.jsonText)) }
    return found
  }

  private func waitUntil(_ condition: () -> Bool) -> Bool {
    let end = ContinuousClock.now + .seconds(20)
    while !condition() {
      guard ContinuousClock.now < end else { return false }
      usleep(1000)
    }
    return true
  }

  private func read() {
    guard let session else { return }
    session.run()
    text += session.takeOutput()
    while let end = text.firstIndex(of: UInt8(ascii: "\n")) {
      if let message = try? JSONValue(parsing: Array(text[..<end])) { messages.append(message) }
      text.removeSubrange(...end)
    }
  }

  private struct NothingCame: Error, CustomStringConvertible {
    let wanted: String
    let instead: [String]

    var description: String {
      "\(wanted) did not come within 20 s, but " + (instead.isEmpty ? "nothing" : instead.joined(separator: "\n"))
    }
  }
}

extension JSONValue {
  /// Of events as they are listed.
  var eventNumbers: [Int64] { arrayValue?.compactMap { $0["params"]?["seq"]?.integerValue } ?? [] }
  var eventTypes: [String] { arrayValue?.compactMap { $0["type"]?.stringValue } ?? [] }
}

enum EventTypes {
  static let enrollment = "enrollmentDelegate.enrollmentRequestWithStatus"
  static let checkIn = "enrollmentDelegate.policyRequestWithStatus"
  static let unenrollment = "enrollmentDelegate.unenrollRequestWithStatus"
  static let policy = "policyManager.policyDidChange"
  static let managementRemoved = "policyManager.managementRemoved"
  static let appConfig = "appConfig.didChange"
  static let all: JSONValue = .array(
    [enrollment, checkIn, unenrollment, policy, managementRemoved, appConfig].map(JSONValue.string))
}
