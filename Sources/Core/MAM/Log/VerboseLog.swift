import JSON
import Model
import Policy
import Support

/// Verbose lines on their way to the diagnostics log. Any thread may add lines, even the reading thread. A task writes
/// them to the disk later, in order and with the times at which they were added.
package final class VerboseLog: Sendable {
  package typealias Line = @Sendable () -> LogMessage
  private static let mostEntries = 4096

  private struct Entry: Sendable {
    let time: Timestamp
    let category: LogCategory
    let cause: CallCause?
    let line: Line
  }

  private struct State {
    var entries: [Entry] = []
    var dropped = 0
    /// True from the first line until that line and all lines after it are written.
    var hasTask = false

    mutating func take() -> [Entry] {
      defer { entries = [] }
      return entries
    }
  }

  private let state = Lock(State())
  private let flag = Lock(true)
  /// Held while lines are written, so that a caller that waits for the lock finds them in the log. No reading thread
  /// takes it.
  private let writing = Lock(())

  /// Whether lines are kept: the setting `VerboseLoggingEnabled`; true until the settings are known.
  package internal(set) var isOn: Bool {
    get { flag.withLock { $0 } }
    set { flag.withLock { $0 = newValue } }
  }

  /// Whether all lines are written.
  var isSettled: Bool { state.withLock { !$0.hasTask && $0.entries.isEmpty } }

  /// Adds a line. `line` makes the text when it is written. Returns whether the caller must start a task that calls
  /// `write`.
  func add(_ category: LogCategory, at time: Timestamp, _ line: @escaping Line) -> Bool {
    let cause = CallContext.current?.cause
    return state.withLock { state in
      guard state.entries.count < Self.mostEntries else {
        state.dropped += 1
        return false
      }
      state.entries.append(Entry(time: time, category: category, cause: cause, line: line))
      defer { state.hasTask = true }
      return !state.hasTask
    }
  }

  /// Called if the task found no log to write to. The next line starts another task.
  func postpone() { state.withLock { $0.hasTask = false } }

  /// Writes the lines that were added so far. May block.
  func write(to log: DiagnosticsLog) {
    writing.withLock { _ in
      while true {
        let (entries, dropped) = state.withLock { state in
          defer { state.dropped = 0 }
          if state.entries.isEmpty { state.hasTask = false }
          return (state.take(), state.dropped)
        }
        guard !entries.isEmpty else { return }
        for entry in entries {
          let cause = entry.cause.map(RequestCause.init)
          log.write(.verbose, entry.category, at: entry.time, causedBy: cause, entry.line())
        }
        guard dropped > 0 else { continue }
        log.write(
          .verbose, .diagnostics, at: nil, causedBy: nil, "\(dropped) verbose lines came too fast and were dropped")
      }
    }
  }
}
