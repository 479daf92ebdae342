import ArgumentParser
import Bridge
import Glibc
import JSON

struct Schema: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "schema",
    abstract: "Print the OpenRPC document, or one method of it.",
    discussion: """
      Without a name, prints the whole document: every method with its parameters, result, errors and SDK members. \
      With the name of a method, an event or a request to a host, prints that item and the schemas that it refers to:

        mambridge schema policy.isURLAllowed
        mambridge schema | jq -r '.methods[].name'

      For text to read instead of JSON, use mambridge call METHOD --help.
      """)

  @Argument(
    help: "A method, an event or a request to a host.", completion: .list(API.methods.map { $0.name }))
  var name: String?

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
    let item = try name.map { try Self.item(named: $0) }
    try output.printDocument(item ?? .object(OpenRPC.document(serverVersion: Mambridge.version)))
  }

  /// Throws exit code 64 for an unknown name, and suggests the nearest one.
  static func item(named name: String) throws -> JSONValue {
    if let item = OpenRPC.item(named: name) { return .object(item) }
    let suggestion = OpenRPC.nearestName(to: name).map { " Did you mean \($0)?" } ?? ""
    throw CommandFailure(
      exitCode: 64,
      message: "there is no method \"\(name.shown)\".\(suggestion) mambridge schema | jq -r '.methods[].name' lists "
        + "the methods")
  }
}
