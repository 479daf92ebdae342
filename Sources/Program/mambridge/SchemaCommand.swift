import ArgumentParser
import Bridge
import Glibc
import JSON
import SourceProtocol
import Support

struct Schema: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "schema",
    abstract: "Print the OpenRPC document, or one method of it.",
    discussion: """
      Without a name, prints the whole document: every method with its parameters, result, errors and SDK members. \
      With the name of a method, an event or a request to a host, prints that item and the schemas that it refers to.

      With --host, prints the document of the requests that a host serves. With --source, prints the protocol that \
      policy sources speak. With --flat, prints a form for generators \
      that cannot follow references to errors: errors are written where they are used, enumerations of the SDK are \
      names only, and what is deprecated is left out.

      For text to read instead of JSON, use mambridge call METHOD --help.

      Examples:

        # One method
        mambridge schema policy.isURLAllowed

        # The names of all methods
        mambridge schema | jq -r '.methods[].name'
      """)

  @Argument(
    help: "A method, an event or a request to a host.", completion: .list(API.allMethods.map { $0.name }))
  var name: String?

  @Flag(help: "Print the requests that a host serves, as methods.")
  var host = false

  @Flag(help: "Print the protocol of policy sources (exec:COMMAND).")
  var source = false

  @Flag(help: "Write errors and tags where they are used, for tools that follow few references.")
  var flat = false

  @OptionGroup var output: OutputOptions

  func run() throws {
    throw ExitCode(
      reportingFailure {
        signal(SIGPIPE, SIG_IGN)
        try print()
        return EXIT_SUCCESS
      })
  }

  private func print() throws {
    let document = try name.map { try Self.item(named: $0) } ?? whole
    try output.printDocument(.object(flat ? FlatDocument.flattened(document) : document))
  }

  func validate() throws {
    if host, name != nil { throw ValidationError("--host prints a whole document: leave out the name.") }
    if source, host || name != nil { throw ValidationError("--source prints a whole document: use it alone.") }
  }

  private var whole: JSONObject {
    let version = Mambridge.version
    if source { return SourceDocument.document(serverVersion: version) }
    return host ? OpenRPC.hostDocument(serverVersion: version) : OpenRPC.document(serverVersion: version)
  }

  /// Throws exit code 64 for an unknown name, and suggests the nearest one.
  static func item(named name: String) throws -> JSONObject {
    if let item = OpenRPC.item(named: name) { return item }
    let suggestion = OpenRPC.nearestName(to: name).map { " Did you mean \($0)?" } ?? ""
    throw CommandFailure(
      exitCode: 64,
      message: "there is no method \"\(name.shown)\".\(suggestion) mambridge schema | jq -r '.methods[].name' lists "
        + "the methods")
  }
}
