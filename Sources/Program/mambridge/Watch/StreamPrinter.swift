import Glibc
import JSON
import MAM
import Support

/// One item of a stream: a line of the log, or an event.
struct StreamItem {
  let json: JSONValue
  let text: FlowText
}

/// Prints items as they come. JSON takes one line for each item. Text fits a terminal; in a pipe or file it takes one
/// line for each item, too.
struct StreamPrinter {
  let attention: Attention
  let output: OutputOptions
  let asJSON: Bool

  func print(_ items: [StreamItem]) throws {
    guard !items.isEmpty else { return }
    let terminal = output.terminal
    let width = isatty(STDOUT_FILENO) == 1 ? terminal.width : nil
    let lines = items.flatMap { item in
      asJSON ? [output.line(of: item.json)] : item.text.lines(width: width, terminal.styled)
    }
    try attention.print(lines.map { $0 + "\n" }.joined())
  }
}

/// Tells on stderr what goes wrong while a command follows something, each failure once until it has passed.
struct FailureNotice {
  private var last: String?

  /// Runs a step; returns `nil` after telling of an error that the next step may not meet.
  mutating func attempt<Value>(_ step: () throws -> Value) throws -> Value? {
    do {
      let value = try step()
      last = nil
      return value
    } catch let failure as CallFailure {
      if failure.line != last { printError("mambridge: \(failure.line). Trying again") }
      last = failure.line
      return nil
    }
  }
}
