import ArgumentParser
import Bridge
import JSON
import MAM
import Model
import Support

struct ShowEvents: AskingCommand {
  static let configuration = CommandConfiguration(
    commandName: "events",
    abstract: "Show the events that hosts get, and follow them.",
    discussion: """
      Prints the events that the state has kept, oldest first: time (UTC), number, name, account and details.

      The state keeps 10,000 events or 30 days of events, whichever is less, for all servers and commands of the app. A \
      line "events.gap" stands for events that were removed before they could be printed. Telemetry and lines of the log \
      are not events; see mambridge log.

      --follow prints the newest 10 events, and then new events within half a second, until Ctrl-C, SIGTERM or the end \
      of the reader, with exit code 0. It waits for a state that does not exist yet. If the state folder is replaced, \
      it begins again with the first event of the new one.

      events reads beside any running server. It takes no lock, changes nothing and takes events away from nobody.

      Examples:

        # The changes of policies
        mambridge events --type policyDidChange

        # What happened to whom
        mambridge events --json | jq -r '"\\(.type) \\(.params.identity)"'

        # New events as they happen, until Ctrl-C
        mambridge events --follow
      """)

  @Flag(name: [.short, .long], help: "Go on with new events as they happen.")
  var follow = false

  @Option(
    name: .customLong("type"),
    help: ArgumentHelp(
      "Only events of this name; the part before or after its dot is enough. Repeatable.", valueName: "name"),
    completion: .list(API.eventNames))
  var types: [EventTypes] = []

  @Option(
    name: [.customShort("n"), .long],
    help: ArgumentHelp(
      "Only the newest events, at most this many (default: 10 with --follow, otherwise all).", valueName: "count"))
  var lines: Int?

  @Flag(help: "Print each event as a JSON object with type and params, as the notification has them.")
  var json = false

  @OptionGroup var server: ServerOptions
  @OptionGroup var output: OutputOptions
  @OptionGroup var core: CoreOptions

  func validate() throws {
    guard lines.map((1...10_000).contains) ?? true else { throw ValidationError("--lines must be from 1 to 10000.") }
  }

  func run() throws {
    let code = look(isFollowing: follow, asJSON: json) { lookout in
      let printer = StreamPrinter(attention: lookout.attention, output: output, asJSON: json)
      var reader = EventReader(lookout, types: types.flatMap(\.names))
      try reader.show(lines ?? (follow ? 10 : .max), printer)
      if follow { try reader.follow(printer) }
    }
    throw ExitCode(code)
  }
}

/// The names of events that one value of `--type` selects.
struct EventTypes: ExpressibleByArgument {
  let names: [String]

  init?(argument: String) {
    let wanted = argument.lowercased()
    names = API.eventNames.filter { name in
      let name = name.lowercased()
      return name == wanted || name.split(separator: ".").contains { $0 == wanted }
    }
    if names.isEmpty { return nil }
  }

  static var allValueStrings: [String] { API.eventNames }
}

/// Reads the events of a state, or those of a server.
struct EventReader {
  private static let pageSize: Int64 = 1000
  /// How long a request waits for an event.
  private static let wait = Duration.seconds(2)

  private let lookout: Lookout
  private let types: [String]
  /// The number of the last event that was considered, and the store that gave it.
  private var after: Int64 = 0
  private var stream: String?

  init(_ lookout: Lookout, types: [String]) {
    self.lookout = lookout
    self.types = types
  }

  /// Prints the newest `count` events that there are.
  mutating func show(_ count: Int, _ printer: StreamPrinter) throws {
    var kept: [JSONValue] = []
    while true {
      let page = try page()
      let events = page["events"]?.arrayValue ?? []
      (after, stream) = (page["next"]?.integerValue ?? after, page["stream"]?.stringValue)
      if count == .max {
        try printer.print(events.map(StreamItem.init(event:)))
      } else {
        kept = (kept + events).suffix(count)
      }
      if events.isEmpty { break }
    }
    try printer.print(kept.map(StreamItem.init(event:)))
  }

  /// Prints events as they come, until it is ended.
  mutating func follow(_ printer: StreamPrinter) throws {
    var notice = FailureNotice()
    while true {
      guard let page = try notice.attempt({ try page(waiting: Self.wait) }) else {
        try lookout.attention.wait(.seconds(1))
        continue
      }
      try show(page, printer)
    }
  }

  private mutating func show(_ page: JSONValue, _ printer: StreamPrinter) throws {
    guard page["stream"]?.stringValue == stream else {
      printError("mambridge: the state was replaced; its first event follows")
      (after, stream) = (0, nil)
      return try show(self.page(), restarting: true, printer)
    }
    try show(page, restarting: false, printer)
  }

  /// A gap before the first event of a new store is nothing that a reader has missed.
  private mutating func show(_ page: JSONValue, restarting: Bool, _ printer: StreamPrinter) throws {
    let gap = page["gap"] ?? .null
    let gaps = gap.isNull || restarting ? [] : [JSONValue.object(["type": .string(API.eventGap), "params": gap])]
    try printer.print((gaps + (page["events"]?.arrayValue ?? [])).map(StreamItem.init(event:)))
    (after, stream) = (page["next"]?.integerValue ?? after, page["stream"]?.stringValue)
  }

  private func page(waiting: Duration = .zero) throws -> JSONValue {
    var params: JSONObject = ["after": .integer(after), "limit": .integer(Self.pageSize)]
    if let stream { params["stream"] = .string(stream) }
    if !types.isEmpty { params["types"] = .array(types.map(JSONValue.string)) }
    let milliseconds = waiting.components.seconds * 1000
    if milliseconds > 0 { params["waitMilliseconds"] = .integer(milliseconds) }
    return try lookout.ask(API.eventList, params, waiting: waiting)
  }
}
