import Glibc
import MAM
import Model
import Support

/// Runs a command that may take long: with progress on a terminal, with an orderly end at Ctrl-C, and with a last line
/// on stderr that says what was done.
struct LongWork {
  private let isQuiet: Bool

  /// What a command that has come to its end reports.
  struct Outcome {
    var exitCode = EXIT_SUCCESS
    /// One line; `nil` to say nothing.
    var summary: String?
  }

  init(isQuiet: Bool) {
    self.isQuiet = isQuiet
  }

  /// Returns the exit code. It is that of the signal if the work was stopped. `stop` is called on another thread when
  /// the work must stop. Until `body` calls `begin`, a signal ends the process at once.
  func run(stop: @escaping @Sendable () -> Void = {}, _ body: (WorkControl) throws -> Outcome) -> Int32 {
    Mambridge.prepareProcess()
    let line = ProgressLine(isOn: !isQuiet)
    let context = CallContext(observe: { line.show($0) })
    let interruption = Interruption {
      line.end()
      _ = context.commitPoint.abandon()
      stop()
    } whenSlow: {
      printError("mambridge: stopping and cleaning up; Ctrl-C again ends at once")
    }
    let code = reportingFailure {
      defer { line.end() }
      let control = WorkControl(line: line, interruption: interruption)
      let outcome = try CallContext.$current.withValue(context) { try body(control) }
      line.end()
      if let summary = outcome.summary, !isQuiet {
        printError("mambridge: \(summary.shown)\(control.isStopped ? "; stopped" : "")")
      }
      return outcome.exitCode
    }
    return interruption.exitCode ?? code
  }
}

extension LongWork {
  /// Does the same with a core.
  func run(on arguments: CoreArguments, _ body: (Core, WorkControl) throws -> Outcome) -> Int32 {
    run { work in
      let core = try arguments.makeCore()
      defer { core.end() }
      work.begin()
      return try body(core, work)
    }
  }
}

/// What work that is running can say and ask.
struct WorkControl {
  fileprivate let line: ProgressLine
  fileprivate let interruption: Interruption

  var isStopped: Bool { interruption.exitCode != nil }

  /// From now on there is something to clean up. Before, the process may wait for a passphrase, for example.
  func begin() { interruption.arm() }

  /// Throws once the work must stop.
  func checkStopped() throws {
    if isStopped { throw CommandFailure(exitCode: 1, message: "stopped; nothing was changed") }
  }

  /// Waits until `descriptor` can be read or has ended. Throws if the work must stop.
  func waitForInput(on descriptor: Int32) throws {
    if !interruption.canRead(descriptor) { try checkStopped() }
  }

  func show(_ work: WorkDone) { line.show(work) }

  /// Prints a line on stderr in the place of the progress, which is then drawn below.
  func report(_ text: String) {
    line.clear()
    printError(text)
  }

  /// Prints an error, unless it only says that the work was stopped, which the last line says, too.
  func report(_ error: MAMError) {
    line.clear()
    let isOnlyStopped = isStopped && error.failures.isEmpty && [.cancelled, .partlyDone].contains(error.code)
    if !isOnlyStopped { error.print() }
  }

  /// Clears the progress, so that something else can be printed.
  func clearLine() { line.clear() }
}
