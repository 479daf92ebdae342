import CGlibc
import Glibc
import Support

/// A running program with pipes to its standard streams. Nothing of it is left when it has ended: it runs in a process
/// group of its own, and the programs that it starts end with it.
final class SourceChild: Sendable {
  /// Our ends of the pipes.
  let output: Int32
  let errors: Int32
  /// Polls as readable once the program has ended; -1 if the kernel cannot provide it.
  let handle: Int32
  private let process: ChildProcess
  private let openInput: Lock<Int32>

  /// How long the program may take to end by itself after its input is closed, and then after SIGTERM.
  static let patience = (end: Duration.seconds(2), termination: Duration.seconds(3))

  struct CannotStart: Error {
    let error: SystemError
  }

  /// Starts the program without a shell. Its first word is looked up in PATH unless it has a slash.
  init(_ words: [String]) throws(CannotStart) {
    var (input, output, errors): ([Int32], [Int32], [Int32]) = ([-1, -1], [-1, -1], [-1, -1])
    let isOpen =
      pipe2(&input, O_CLOEXEC) == 0 && pipe2(&output, O_CLOEXEC) == 0 && pipe2(&errors, O_CLOEXEC) == 0
    let openError = SystemError.current
    defer { for end in [input[0], output[1], errors[1]] where end >= 0 { close(end) } }
    let started =
      isOpen
      ? ChildProcess.start(
        words, input: .descriptor(input[0]), output: .descriptor(output[1]), errors: .descriptor(errors[1]),
        leadsGroup: true)
      : .failure(openError)
    do throws(SystemError) {
      process = try started.get()
    } catch {
      for end in [input[1], output[0], errors[0]] where end >= 0 { close(end) }
      throw CannotStart(error: error)
    }
    (openInput, self.output, self.errors) = (Lock(input[1]), output[0], errors[0])
    for end in [input[1], output[0], errors[0]] { _ = fcntl(end, F_SETFL, O_NONBLOCK) }
    handle = process.openHandle()
  }

  deinit {
    for end in [input, output, errors, handle] where end >= 0 { close(end) }
  }

  /// Whether the program has ended, whoever else still has its streams.
  var hasEnded: Bool { process.hasEnded }

  /// -1 once it is closed.
  var input: Int32 { openInput.withLock { $0 } }

  /// Tells the program that nothing more comes, which asks it to end.
  func closeInput() {
    let input = openInput.withLock { input in
      defer { input = -1 }
      return input
    }
    if input >= 0 { close(input) }
  }

  /// Waits for the end of the program, and kills it if it does not end by itself. Returns how it ended, as a predicate.
  func end(after patience: (end: Duration, termination: Duration) = SourceChild.patience) -> String {
    closeInput()
    if !hasEnded(within: patience.end) {
      process.signalGroup(SIGTERM)
      if !hasEnded(within: patience.termination) { process.signalGroup(SIGKILL) }
    }
    let hasEnded = hasEnded(within: .seconds(1))
    // What the program has started may still run. Until the program is reaped, no other group gets its number.
    process.signalGroup(SIGKILL)
    guard hasEnded, let ending = process.reap() else { return "does not end" }
    return ending.text
  }

  /// Leaves the ended program to be reaped.
  private func hasEnded(within limit: Duration) -> Bool {
    let deadline = ContinuousClock.now + limit
    while true {
      if process.hasEnded { return true }
      let rest = ContinuousClock.now.duration(to: deadline)
      guard rest > .zero else { return false }
      var entry = pollfd(fd: handle, events: Int16(POLLIN), revents: 0)
      // Without a handle, look again from time to time.
      let slice: Int64 = handle >= 0 ? 1000 : 20
      poll(&entry, 1, Int32(min(slice, rest.components.seconds * 1000 + 1)))
    }
  }
}
