import ArgumentParser
import Glibc
import JSON
import PhoneLogs
import Support

struct ExamineLog: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "examine",
    abstract: "Say what a phone's log or dump of the Intune SDK says, and why a policy does not apply.",
    usage: "mambridge examine [<options>] <file>",
    discussion: """
      Reads lines of iOS or Android, a whole log, a diagnostic dump, a policy or an app configuration, as people paste \
      them: quoted, cut, with parts removed. Prints the codes in the order of time, with their meaning and who can act; \
      the policies, setting by setting; and the cause, if something in the input decides it. Otherwise it prints at most \
      three candidates and what to look at next. Names, ids, hashes and addresses are replaced, so that the output can be \
      passed on; the lines themselves are not printed.

      docs/phone-logs.md lists the codes and the causes.

      Exit codes: 0 the cause is decided; 1 it is not; 2 the input cannot be read; 64 invalid command line.

      Examples:

        # What a log says
        mambridge examine IntuneMAMDiagnostics.txt

        # What was pasted into an issue
        mambridge examine - <issue.txt

        # The same cause, on this machine
        mambridge examine --reproduce case issue.txt && sh case/reproduce.sh
      """)

  @Argument(help: "A log, a dump, or - for standard input.", completion: .file())
  var file: String

  @Option(
    help: ArgumentHelp(
      """
      Also write a tenant folder and a script that show the same to this new folder. Many causes lie outside of \
      mambridge; then nothing is written.
      """, valueName: "folder"), completion: .directory)
  var reproduce: String?

  @Flag(help: "Print one JSON object.")
  var json = false

  @OptionGroup var output: OutputOptions

  private static let unreadable: Int32 = 2

  func validate() throws {
    if file.isEmpty { throw ValidationError("Name a file, or - for standard input.") }
    if reproduce?.isEmpty == true { throw ValidationError("Name a new folder for --reproduce.") }
  }

  func run() throws {
    signal(SIGPIPE, SIG_IGN)
    throw ExitCode(
      reportingFailure {
        let examination = try read()
        let report = ExaminationReport(examination)
        if json { try output.print(report.json) } else { try printResult(report.text(on: output.terminal)) }
        if let reproduce { try write(Reproduction(examination), to: reproduce) }
        return examination.verdict.isDecided ? EXIT_SUCCESS : EXIT_FAILURE
      })
  }

  private func read() throws -> Examination {
    var descriptor = STDIN_FILENO
    if file != "-" {
      descriptor = open(file, O_RDONLY | O_CLOEXEC)
      guard descriptor >= 0 else { throw failure("cannot open \(file): \(SystemError.current(opening: file).text)") }
    }
    defer { if descriptor != STDIN_FILENO { close(descriptor) } }
    let chunk = UnsafeMutableRawBufferPointer.allocate(byteCount: PhoneLogReader.chunk, alignment: 1)
    defer { chunk.deallocate() }
    do {
      var reader = PhoneLogReader()
      while case let count = try read(descriptor, into: chunk), count > 0 { try reader.add(chunk[..<count]) }
      return try reader.finish()
    } catch let kind as UnreadableInput {
      throw failure("\(named) is \(kind.text)")
    }
  }

  /// Waits for bytes, also where another program made standard input return at once. 0 is the end.
  private func read(_ descriptor: Int32, into chunk: UnsafeMutableRawBufferPointer) throws -> Int {
    while true {
      let count = uninterrupted { Glibc.read(descriptor, chunk.baseAddress, chunk.count) }
      if count >= 0 { return count }
      guard errno == EAGAIN else { throw failure("cannot read \(named): \(SystemError.current.text)") }
      var polled = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
      poll(&polled, 1, -1)
    }
  }

  private var named: String { file == "-" ? "standard input" : file }

  private func failure(_ message: String) -> CommandFailure {
    CommandFailure(exitCode: Self.unreadable, message: message.shown)
  }

  private func write(_ reproduction: Reproduction, to folder: String) throws {
    switch reproduction {
    case .impossible(let reason): printError("mambridge: no reproduction was written: \(reason)")
    case .possible(let content): try content.write(to: folder)
    }
  }
}
