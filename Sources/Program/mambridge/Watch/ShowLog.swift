import ArgumentParser
import Bridge
import JSON
import MAM
import Model
import Support

struct ShowLog: AskingCommand {
  static let configuration = CommandConfiguration(
    commandName: "log",
    abstract: "Show the diagnostics log, and follow it.",
    discussion: """
      Prints the lines of the diagnostics log, oldest first: time (UTC), level, category and message.

      The log is in two files of the state folder, which all servers and commands of the app write: lines of any \
      process appear, also of those that have ended. When a file has 8 MiB, a new one begins; the one before the last is \
      removed. At most the newest 10000 lines are printed. Verbose lines exist only with the setting \
      VerboseLoggingEnabled. Lines of other levels name no user.

      --follow prints the newest 10 lines, and then new lines within half a second, until Ctrl-C, SIGTERM or the end of \
      the reader, with exit code 0. It waits for a state that does not exist yet, and goes on when the files are \
      replaced. With --connect, lines that other processes than the server write may take 2 seconds.

      log reads beside any running server. It takes no lock and changes nothing.

      Examples:

        # The warnings and errors of the last hour
        mambridge log --since 1h --level warning

        # The messages of one category
        mambridge log --json | jq -r 'select(.category == "enrollment").message'

        # New lines as they are written, until Ctrl-C
        mambridge log --follow
      """)

  @Flag(name: [.short, .long], help: "Go on with new lines as they are written.")
  var follow = false

  @Option(help: "Only lines of this level and above: verbose, info, warning or error.")
  var level: LogLevel?

  @Option(
    help: ArgumentHelp(
      "Only lines since this time: 90s, 10m, 2h or 3d ago, or a time such as 2026-01-31T09:30:00Z or 2026-01-31.",
      valueName: "time"))
  var since: SinceTime?

  @Option(
    name: [.customShort("n"), .long],
    help: ArgumentHelp(
      "Only the newest lines, at most this many (default: 10 with --follow and without --since, otherwise all).",
      valueName: "count"))
  var lines: Int?

  @Flag(help: "Print each line as a JSON object.")
  var json = false

  @OptionGroup var server: ServerOptions
  @OptionGroup var output: OutputOptions
  @OptionGroup var core: CoreOptions

  func validate() throws {
    guard lines.map(LogLimit.range.contains) ?? true else { throw ValidationError("--lines must be from 1 to 10000.") }
  }

  func run() throws {
    let code = look(isFollowing: follow, asJSON: json) { lookout in
      let printer = StreamPrinter(attention: lookout.attention, output: output, asJSON: json)
      let reader = LogReader(lookout, level: level, since: try since?.time { try lookout.time() })
      if follow {
        try reader.follow(from: lines ?? (since == nil ? 10 : LogReader.most), printer)
      } else {
        try reader.show(lines ?? LogReader.most, printer)
      }
    }
    throw ExitCode(code)
  }
}

extension LogLevel: ExpressibleByArgument {}

/// Reads the log of a state, or that of a server.
struct LogReader {
  /// As many lines as one query returns.
  static let most = LogLimit.range.upperBound
  private static let pauseHere = Duration.milliseconds(250)
  /// A server pushes only the lines that it writes itself. For those of other processes it is asked this often.
  private static let pauseOnServer = Duration.seconds(2)
  /// Lines come in bursts, and one query for each of them would be too many.
  private static let pauseAfterPush = Duration.milliseconds(100)

  private let lookout: Lookout
  private let filter: LogQuery

  init(_ lookout: Lookout, level: LogLevel?, since: Timestamp?) {
    self.lookout = lookout
    filter = LogQuery(level: level, since: since)
  }

  /// The file that new lines are appended to; `nil` if a server is asked.
  private var path: String? { lookout.folder?.currentLog }

  func show(_ count: Int, _ printer: StreamPrinter) throws {
    let lines = try newestInAnyCase(count)
    if count == Self.most, lines.count == count {
      printError("mambridge: only the newest \(count) lines; --since and --level select fewer")
    }
    try printer.print(lines.map(StreamItem.init(logLine:)))
  }

  /// Prints the newest `count` lines, and then new ones, until it is ended.
  func follow(from count: Int, _ printer: StreamPrinter) throws {
    if path == nil {
      _ = try lookout.ask(API.logSubscription, filter.level.map { ["level": .string($0.rawValue)] } ?? [:])
    }
    var notice = FailureNotice()
    var mark = LogMark(path)
    let limit = max(count, LogTail<JSONValue>.memory)
    let first = try newest(limit)
    var tail = LogTail(after: first, isWhole: first.count < limit)
    try printer.print(first.suffix(count).map(StreamItem.init(logLine:)))
    while true {
      try waitForMore(since: mark)
      mark = LogMark(path)
      guard let news = try notice.attempt({ try news(after: &tail) }) else {
        try lookout.attention.wait(.seconds(1))
        mark = LogMark(nil)
        continue
      }
      try printer.print(news.map(StreamItem.init(logLine:)))
    }
  }

  private func news(after tail: inout LogTail<JSONValue>) throws -> [JSONValue] {
    for count in [LogTail<JSONValue>.memory, Self.most] {
      let lines = try newest(count)
      if let news = tail.news(in: lines, isWhole: lines.count < count) { return news }
      guard count == Self.most else { continue }
      printError("mambridge: lines are missing here: more than \(count) came at once")
      tail = LogTail(after: lines, isWhole: false)
      return lines
    }
    return []
  }

  /// The newest lines, oldest first.
  private func newest(_ count: Int) throws -> [JSONValue] {
    (try lookout.ask(API.logQuery, query(count).jsonValue.objectValue ?? [:]).arrayValue ?? []).reversed()
  }

  private func query(_ count: Int) -> LogQuery {
    var query = filter
    query.limit = LogLimit(count)
    return query
  }

  /// Like `newest`, but also if the state cannot be opened: the log may say why.
  private func newestInAnyCase(_ count: Int) throws -> [JSONValue] {
    do {
      return try newest(count)
    } catch let failure as CallFailure {
      guard let folder = lookout.folder, failure.isOfStore else { throw failure }
      let log = DiagnosticsLog(folder: folder.logs, clock: SystemClock(), salt: [])
      guard let lines = try? log.query(query(count)), !lines.isEmpty else { throw failure }
      printError("mambridge: \(failure.line). The log can still be read")
      return lines.reversed().map(\.jsonValue)
    }
  }

  private func waitForMore(since mark: LogMark) throws {
    guard let path else {
      try lookout.waitForNotification(atMost: Self.pauseOnServer)
      return try lookout.attention.wait(Self.pauseAfterPush)
    }
    repeat { try lookout.attention.wait(Self.pauseHere) } while LogMark(path) == mark
  }
}

extension CallFailure {
  /// Whether the state could not be opened.
  fileprivate var isOfStore: Bool {
    let codes: [ErrorCode] = [.storeUnavailable, .damaged, .newerSchema, .diskFull]
    return codes.contains { error["code"] == .integer(Int64($0.number)) }
  }
}

/// By what new lines in the current file of the log are seen: which file it is, and its size.
private struct LogMark: Equatable {
  private let file: [UInt64]

  init(_ path: String?) {
    let status = path.flatMap { FileStatus(path: $0) }
    file = status.map { [$0.device, $0.inode, UInt64($0.size)] } ?? []
  }
}

extension StreamItem {
  /// A line of the log, as `diagnosticsLog.query` returns it.
  init(logLine line: JSONValue) {
    let level = line.text("level")
    var text = FlowText()
    text.add(line.shownTime)
    text.add(level, Style(LogLevel(rawValue: level)?.tone ?? .plain), paddedTo: 7)
    text.add("\(line.text("category")): \(line.text("message"))")
    self.init(json: line, text: text)
  }
}

extension JSONValue {
  /// The member `time`, to the second.
  var shownTime: String { time("time").map { "\($0.shortText)Z" } ?? "-" }
}
