import JSON
import JSONRPC
import MAM
import Model
import Support

/// What happened in a sandbox, in plain words: calls with their outcomes, decisions with their reasons, events, and
/// faults. Keeps the newest entries.
final class SandboxStory: Sendable {
  static let mostEntries = 2_000
  /// In bytes.
  private static let longestText = 400
  private static let mostReasons = 8
  /// Calls that only look, and those to the network, which has a list of its requests.
  private static let untold: Set = [
    GetSandboxStory.name, ReportFromSandbox.name, ExpectInSandbox.name, WaitInSandbox.name, Discover.name,
    ListEvents.name, GetSandboxContents.name, StartSandboxNetwork.name, GetNetworkApp.name, GetNetworkToken.name,
    SendToNetwork.name, PlantNetworkFault.name, ClearNetworkFaults.name, ListNetworkRequests.name,
    GetNetworkLog.name,
  ]
  private let untold: Set<String>

  private struct Told: Sendable {
    var entries: [StoryEntry] = []
    var newest: Int64 = 0
    /// The newest question of the app; `nil` if it asked none.
    var question: AskedQuestion?
  }

  private let told = Lock(Told())
  /// What the next story of a method's call adds to its outcome, by the names of the methods.
  private let remarks = Lock<[String: String]>([:])
  /// The last event that was told, and its stream; `nil` before the first. Unlike other locks, this one is held while
  /// events are read, so that each is told once and in order.
  private let lastEvent = Lock<(seq: Int64, stream: String)?>(nil)
  let recording = SandboxRecording()

  /// `reads` are other calls that are not told.
  init(without reads: Set<String> = []) {
    untold = Self.untold.union(reads)
  }

  var newestQuestion: AskedQuestion? { told.withLock { $0.question } }

  /// Adds a clause to the outcome of the call of a method that runs now.
  func remark(_ text: String, on method: String) { remarks.withLock { $0[method] = text } }

  /// The entries after a number, and whether some of them are no longer kept.
  func entries(after number: Int64, _ core: Core) -> GetSandboxStory.Result {
    tellEvents(core)
    return told.withLock { told in
      let oldest = told.entries.first?.number ?? told.newest + 1
      return GetSandboxStory.Result(
        entries: told.entries.filter { $0.number > number }, next: told.newest, missed: number + 1 < oldest)
    }
  }

  /// The whole story, as lines for people. Entries that only repeat the one before, such as check-ins without a network,
  /// are counted.
  func text(_ core: Core) -> String {
    let found = entries(after: 0, core)
    var lines = found.missed ? ["(earlier entries are left out)"] : []
    var rest = found.entries[...]
    while let first = rest.first {
      let alike = rest.prefix { $0.kind == first.kind && $0.text == first.text && $0.because == first.because }
      lines.append("\(first.time.shown)  \(first.text)")
      lines += first.because.map { Self.indent + $0 }
      if let last = alike.dropFirst().last {
        lines.append("\(Self.indent)(\(alike.count - 1) more of these until \(last.time.shown))")
      }
      rest = rest.dropFirst(alike.count)
    }
    return lines.isEmpty ? "Nothing happened." : lines.joined(separator: "\n")
  }

  private static let indent = String(repeating: " ", count: 21)

  /// Answers like `strictCall`, and tells the call and its outcome.
  func call(
    _ method: any Method.Type, _ node: JSONNode?, on connection: BridgeConnection, into writer: inout JSONWriter
  ) throws(RPCError) -> Work? {
    guard !untold.contains(method.name) else {
      return try method.strictCall(node, on: connection, into: &writer)
    }
    let params = ToldCall.withoutOptions(node?.value)
    let call = ToldCall(method, params, number: recording.begin(method.name, params))
    var own = JSONWriter()
    do throws(RPCError) {
      guard let work = try method.strictCall(node, on: connection, into: &own) else {
        tell(call, .success(own.bytes), on: connection)
        writer.raw(own.bytes)
        return nil
      }
      return Work(queue: work.queue, isWaiting: work.isWaiting, takeBack: work.takeBack) {
        () async throws(RPCError) -> [UInt8] in
        do throws(RPCError) {
          let bytes = try await work.run()
          self.tell(call, .success(bytes), on: connection)
          self.tellEvents(connection.core)
          return bytes
        } catch {
          self.tell(call, .failure(error), on: connection)
          self.tellEvents(connection.core)
          throw error
        }
      }
    } catch {
      tell(call, .failure(error), on: connection)
      throw error
    }
  }

  private func tell(_ call: ToldCall, _ outcome: Result<[UInt8], RPCError>, on connection: BridgeConnection) {
    switch outcome {
    case .failure(let error):
      recording.end(call.number, .object(error.details), at: ".error.data")
      if let question = call.question(failedWith: error) { told.withLock { $0.question = question } }
      let hint = error.details["hint"]?.stringValue
      let way = connection.bridge.sandbox?.user.wayOut(of: .object(error.details))
      add(
        .call, "\(call.text) failed with \(error.name) (\(error.code)): \(error.message)",
        [hint, way].compactMap(\.self), connection.core)
    case .success(let bytes):
      let result = (try? JSONValue(parsing: bytes)) ?? .null
      recording.end(call.number, result, at: ".result")
      let question = call.question(answered: result, on: connection)
      if let question { told.withLock { $0.question = question } }
      // Moving the clock by nothing only runs what is due, as the verbs of the kits do.
      guard !call.isIdle else { return }
      let remark = remarks.withLock { $0.removeValue(forKey: call.method) }.map { ", " + $0 } ?? ""
      let reasons = question?.reasons ?? []
      add(
        reasons.isEmpty ? .call : .decision, "\(call.text): \(result.outcome)\(remark)",
        reasons.isEmpty ? result.statusTexts : reasons, connection.core)
    }
  }

  private func tellEvents(_ core: Core) {
    lastEvent.withLock { last in
      while let page = try? core.events.list(EventQuery(after: last?.seq ?? 0, stream: last?.stream, limit: 500)) {
        last = (page.next, page.stream)
        if page.isEmpty { return }
        for event in page.events { add(.event, event.story, [], at: event.time) }
      }
    }
  }

  private func add(_ kind: StoryEntry.Kind, _ text: String, _ because: [String], _ core: Core) {
    add(kind, text, because, at: core.nowUnread)
  }

  /// Tells of a fault that a test has planted.
  func tellFault(_ text: String, at time: Timestamp) { add(.fault, text, [], at: time) }

  private func add(_ kind: StoryEntry.Kind, _ text: String, _ because: [String], at time: Timestamp) {
    told.withLock { told in
      told.newest += 1
      told.entries.append(
        StoryEntry(
          number: told.newest, time: time, kind: kind, text: text.beginning(ofBytes: Self.longestText),
          because: because.prefix(Self.mostReasons).map { $0.beginning(ofBytes: Self.longestText) }))
      if told.entries.count > Self.mostEntries { told.entries.removeFirst(told.entries.count - Self.mostEntries) }
    }
  }
}

/// One thing that happened.
struct StoryEntry: Record {
  enum Kind: String, CaseIterable, Sendable, NamedValue {
    case call, decision, event, fault
    static let schemaName = "StoryKind"
  }

  var number: Int64
  var time: Timestamp
  var kind: Kind
  var text: String
  var because: [String]
  static let fields = Fields(
    Self.init, Field("number", \.number, "Rises by one from 1."),
    Field("time", \.time, "The time of the sandbox's clock."),
    Field("kind", \.kind, "What it is: a call, a call that a policy decided, an event, or a planted fault."),
    Field("text", \.text, "What happened: a call with its parameters and its outcome, or an event."),
    Field("because", \.because, "Why: the reasons of a decision, the texts of a status, or the hint of an error."))
}

extension JSONValue {
  /// The outcome of a call in a few words, without data that the call returned.
  fileprivate var outcome: String {
    switch self {
    case .null: "done"
    case .bool, .integer, .number: jsonText
    case .string(let text): text.utf8.count > 40 || text.contains(" ") ? "a text" : text
    case .array(let elements):
      elements.count == 1 ? "one: \(elements[0].outcome)" : "\(elements.count) elements"
    case .object(let object):
      ["status", "verdict", "decision", "action", "time", "identity"].lazy
        .compactMap { object[$0]?.stringValue }.first ?? "done"
    }
  }
}

extension JSONValue {
  /// What the statuses of enrollments and check-ins say about what is wrong.
  fileprivate var statusTexts: [String] {
    switch self {
    case .array(let elements):
      elements.flatMap { status in
        let name = elements.count == 1 ? nil : status["identity"]?.stringValue
        return status.statusTexts.map { text in name.map { "\($0): \(text)" } ?? text }
      }
    case .object(let object): object["errorString"]?.stringValue.map { [$0] } ?? []
    default: []
    }
  }
}

extension String {
  /// As many whole characters of Unicode as fit into so many bytes.
  func beginning(ofBytes size: Int) -> String {
    guard utf8.count > size else { return self }
    var end = utf8.index(startIndex, offsetBy: size)
    while end.samePosition(in: unicodeScalars) == nil { end = utf8.index(before: end) }
    return String(self[..<end])
  }
}

extension Timestamp {
  /// "2026-01-31 09:30:00".
  fileprivate var shown: String { "\(description.prefix(10)) \(timeOfDay)" }

  /// "09:30:00".
  var timeOfDay: String { String(description.dropFirst(11).prefix(8)) }
}

extension StoredEvent {
  /// The event, and the account and the status that it is about.
  fileprivate var story: String {
    let members = (try? JSONValue(parsing: body)) ?? .null
    let account = (members["identity"]?.stringValue ?? members["accountId"]?.stringValue).map { " for \($0)" } ?? ""
    return type + account + (members["status"]?.stringValue.map { ": \($0)" } ?? "")
  }
}
