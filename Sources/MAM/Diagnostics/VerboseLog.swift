import JSON
import Model
import Policy
import Support

/// Verbose lines on their way into the diagnostics log. Any thread may add lines, the reading thread too: a task writes
/// them to the disk later, in order and with the time at which they were added.
package final class VerboseLog: Sendable {
  package typealias Line = @Sendable () -> LogMessage
  private static let mostEntries = 4096

  private struct Entry: Sendable {
    let time: Timestamp
    let category: LogCategory
    let line: Line
  }

  private struct State {
    var entries: [Entry] = []
    var dropped = 0
    /// From the first line until it and all behind it are written.
    var hasTask = false

    mutating func take() -> [Entry] {
      defer { entries = [] }
      return entries
    }
  }

  private let state = Lock(State())
  private let flag = Lock(true)
  /// Held while lines are written, so that whoever waits for it finds them in the log. No reading thread takes it.
  private let writing = Lock(())

  /// Whether lines are kept: the setting `VerboseLoggingEnabled`. True until the settings are known.
  package internal(set) var isOn: Bool {
    get { flag.withLock { $0 } }
    set { flag.withLock { $0 = newValue } }
  }

  /// Whether all lines are written.
  var isSettled: Bool { state.withLock { !$0.hasTask && $0.entries.isEmpty } }

  /// Adds a line. `line` makes the text when it is written. Returns whether a task must be started that calls `write`.
  func add(_ category: LogCategory, at time: Timestamp, _ line: @escaping Line) -> Bool {
    state.withLock { state in
      guard state.entries.count < Self.mostEntries else {
        state.dropped += 1
        return false
      }
      state.entries.append(Entry(time: time, category: category, line: line))
      defer { state.hasTask = true }
      return !state.hasTask
    }
  }

  /// The task found no log to write to: the next line starts another one.
  func postpone() { state.withLock { $0.hasTask = false } }

  /// Writes what was added so far. May block.
  func write(to log: DiagnosticsLog) {
    writing.withLock { _ in
      while true {
        let (entries, dropped) = state.withLock { state in
          defer { state.dropped = 0 }
          if state.entries.isEmpty { state.hasTask = false }
          return (state.take(), state.dropped)
        }
        guard !entries.isEmpty else { return }
        for entry in entries { log.write(.verbose, entry.category, at: entry.time, entry.line()) }
        if dropped > 0 { log.write(.verbose, .diagnostics, "\(dropped) verbose lines came too fast and were dropped") }
      }
    }
  }
}

/// Adds verbose lines to the log of a core.
package struct Trace: Sendable {
  let core: Core

  /// Adds a line if verbose logging is on; one flag is all that is read if it is off. Never blocks.
  package func callAsFunction(_ category: LogCategory, _ line: @escaping VerboseLog.Line) {
    guard core.verbose.isOn, core.verbose.add(category, at: core.now, line) else { return }
    Task(executorPreference: BlockingExecutor.shared) { [weak core] in
      guard let core else { return }
      guard let log = try? core.refresh().log else { return core.verbose.postpone() }
      core.verbose.write(to: log)
    }
  }

  /// Writes the lines that are left, before the process ends. May block.
  package func settle() {
    guard !core.verbose.isSettled, let log = try? core.refresh().log else { return }
    core.verbose.write(to: log)
  }

  /// A policy decision with its reasons. What was asked about and what the answer holds may be data of the account: only
  /// an answer of one word is shown, and the truths in an object.
  package func callAsFunction<Answer: Explicable>(
    _ question: String, _ result: Result<Answer, MAMError>, about identity: EffectiveIdentity?, in state: CoreState
  ) where Answer.Value: FieldValue {
    self(.policy) {
      let account = identity?.account.map(state.named) ?? (identity == nil ? nil : state.effectiveAccount?.account)
      let subject: LogMessage = account.map { "\(public: question) for \(personal: $0)" } ?? "\(public: question)"
      switch result {
      case .success(let answer):
        let reasons = answer.reasons.map { $0.line(about: identity, in: state) }.joined(separator: "; ")
        return subject
          + "\(public: answer.value.jsonValue.word): \(public: reasons.isEmpty ? "no rule applies" : reasons)"
      case .failure(let error): return subject + "failed: \(public: error.message)"
      }
    }
  }
}

extension Reason {
  /// The part of the answer, the setting that decided with its value, and the rule.
  fileprivate func line(about identity: EffectiveIdentity?, in state: CoreState) -> String {
    let owner = other ?? identity?.account ?? state.effectiveAccount?.reference
    let policy = owner.flatMap(state.account)?.policy?.effective
    let written = setting.map { "\($0.rawValue) \((policy?.written($0) ?? .null).word)" }
    return [part?.name, written, rule.text].compactMap { $0 }.joined(separator: ", ")
  }
}

extension JSONValue {
  /// The value if it is one word, a number or a truth. Of what may hold data only how much there is: the names of an
  /// object's members, with the truths among them.
  fileprivate var word: String {
    switch self {
    case .bool, .integer, .number: jsonText
    case .null: "not set"
    case .string(let text) where text.count <= 40 && !text.contains(" "): text
    case .string: "a text"
    case .array(let elements): "\(elements.count) values"
    case .object(let object):
      object.members.filter { !$0.value.isNull }
        .map { member in member.value.boolValue.map { "\(member.name) \($0)" } ?? member.name }
        .joined(separator: ", ")
    }
  }
}
