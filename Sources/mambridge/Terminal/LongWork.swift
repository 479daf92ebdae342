import ArgumentParser
import Glibc
import Support

/// The options of commands that say on stderr how far they are and what they did.
struct ReportOptions: ParsableArguments {
  @Flag(name: .shortAndLong, help: "Leave out the progress and the last line, which says what was done.")
  var quiet = false
}

/// Runs a command that may take long: with progress on a terminal, with an orderly end at Ctrl-C, and with a last line
/// on stderr that says what was done.
struct LongWork {
  let isQuiet: Bool

  /// What a command that has come to its end reports.
  struct Outcome {
    var exitCode = EXIT_SUCCESS
    /// One line; `nil` to say nothing.
    var summary: String?
  }

  init(_ options: ReportOptions) {
    isQuiet = options.quiet
  }

  init(isQuiet: Bool) {
    self.isQuiet = isQuiet
  }

  /// Returns the exit code. It is that of the signal if the work was stopped.
  func run(_ body: (WorkControl) throws -> Outcome) -> Int32 {
    Mambridge.prepareProcess()
    let line = ProgressLine(isOn: !isQuiet)
    let context = CallContext(observe: { line.show($0) })
    let interruption = Interruption { [isQuiet] in
      line.clear()
      if !isQuiet { printError("mambridge: stopping and cleaning up; Ctrl-C again ends at once") }
      _ = context.commitPoint.abandon()
    }
    let code = reportingFailure {
      defer { line.clear() }
      let control = WorkControl(line: line, interruption: interruption)
      let outcome = try CallContext.$current.withValue(context) { try body(control) }
      line.clear()
      if let summary = outcome.summary, !isQuiet { printError("mambridge: \(summary)") }
      return outcome.exitCode
    }
    return interruption.exitCode ?? code
  }
}

/// What work that is running can say and ask.
struct WorkControl {
  fileprivate let line: ProgressLine
  let interruption: Interruption

  var isStopped: Bool { interruption.exitCode != nil }

  /// Throws once the work must stop.
  func checkStopped() throws {
    if isStopped { throw CommandFailure(exitCode: 1, message: "stopped; nothing was changed") }
  }

  func show(_ work: WorkDone) { line.show(work) }

  /// Prints a line on stderr in the place of the progress, which is then drawn below.
  func tell(_ text: String) {
    line.clear()
    printError(text)
  }

  /// Clears the progress, so that something else can be printed.
  func clearLine() { line.clear() }
}
