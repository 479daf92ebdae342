import HTTP
import JSON
import Support

/// The last requests to a development tenant, for the page and for whoever asks what an app did.
final class RequestRing: Sendable {
  struct Entry: Sendable {
    let time: Timestamp
    let method: String
    /// With the query of Graph alone: others hold codes.
    let path: String
    /// 0 for a connection that ended without an answer.
    let status: Int
    let milliseconds: Int
    /// A user principal name, or what else is known; `nil` for nobody.
    let who: String?
    /// Why it was refused, or what it led to; `nil` if there is nothing to say.
    let why: String?
    /// The fault that hit it; `nil` without one.
    let fault: String?

    fileprivate func json(_ number: Int64) -> JSONValue {
      [
        "number": .integer(number), "time": .string(time.description), "method": .string(method),
        "path": .string(path), "status": .integer(Int64(status)), "ms": .integer(Int64(milliseconds)),
        "who": who.map(JSONValue.string) ?? .null, "why": why.map(JSONValue.string) ?? .null,
        "fault": fault.map(JSONValue.string) ?? .null,
      ]
    }
  }

  static let most = 500
  /// How often a request that waits looks.
  private static let interval = Duration.milliseconds(100)

  private struct State {
    var entries: [Entry] = []
    /// The number of the last entry; they are counted from 1.
    var last: Int64 = 0
    var hasEnded = false
  }

  private let state = Lock(State())

  func append(_ entry: Entry) {
    state.withLock { state in
      state.entries.append(entry)
      if state.entries.count > Self.most { state.entries.removeFirst() }
      state.last += 1
    }
  }

  /// Lets all that wait answer.
  func end() { state.withLock { $0.hasEnded = true } }

  /// The entries after a number. Waits for one if there is none, for at most `wait`.
  func entries(after number: Int64, wait: Duration) async -> JSONObject {
    let end = ContinuousClock.now + wait
    while state.withLock({ $0.last <= number && !$0.hasEnded }), ContinuousClock.now < end, !Task.isCancelled {
      try? await Task.sleep(for: Self.interval)
    }
    return state.withLock { state in
      let first = state.last - Int64(state.entries.count) + 1
      let numbered = state.entries.enumerated().map { (number: first + Int64($0.offset), entry: $0.element) }
      return [
        "requests": .array(numbered.filter { $0.number > number }.map { $0.entry.json($0.number) }),
        "last": .integer(state.last),
      ]
    }
  }
}

/// What becomes known about a request while it is answered.
package final class RequestNotes: Sendable {
  /// The caller of the call that a task runs, in the one context of calls.
  static var current: RequestNotes? { CallContext.current?.caller as? RequestNotes }

  private struct State {
    var lines: [String] = []
    var fault: String?
  }

  private let state = Lock(State())

  var fault: String? {
    get { state.withLock { $0.fault } }
    set { state.withLock { $0.fault = newValue } }
  }

  var lines: [String] { state.withLock { $0.lines } }

  /// A line for the log, which belongs to the request that is being answered: its access line also says the fault.
  package static func noting(_ line: String) -> String {
    guard let current else { return line }
    guard line.hasPrefix("request ") else {
      current.state.withLock { $0.lines.append(line) }
      return line
    }
    return line + (current.fault.map { " fault=\"\($0)\"" } ?? "")
  }
}
