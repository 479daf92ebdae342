import ArgumentParser
import Bridge
import Glibc
import JSON
import JSONRPC
import Support

struct Call: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "call",
    abstract: "Call one method, here or on a server, and print its result.",
    discussion: """
      Parameters are name=value pairs (text where the schema wants a string, else JSON), or one JSON object or array:

        mambridge call policy.isSaveToAllowedForLocation location=localDrive account=alice@contoso.example
        mambridge call dataProtectionManager.protectString '{"string": "hello", "account": null}'

      Do not pass a PIN or a token: every user of the machine can see the arguments of a process. Send such a request to \
      mambridge on standard input.

      The result goes to stdout (exit code 0), an error to stderr (exit code 1), both as JSON.
      """)

  @Argument(help: "The method's name.", completion: .list(API.methods.map { $0.name }))
  var method: String

  @Argument(help: ArgumentHelp("Parameters.", valueName: "name=value | json"))
  var parameters: [String] = []

  @OptionGroup var whom: AskOptions

  func run() throws {
    if let warning = CallRequest.warning(method: method, parameters: parameters) { printError("mambridge: \(warning)") }
    throw ExitCode(
      whom.ask {
        try CallRequest(method: method, parameters: parameters)
      } show: {
        $0.jsonText
      })
  }
}

/// One request as the command line gives it.
struct CallRequest {
  /// One line, newline included.
  let text: [UInt8]

  init(method: String, parameters: [String]) throws {
    self.init(method: method, params: try Self.params(of: method, parameters))
  }

  /// Asks why `query` is answered as it is; `parameters` are the question's own.
  init(explaining query: String, parameters: [String]) throws {
    var members: JSONObject = ["query": .string(query)]
    members["params"] = try Self.params(of: query, parameters)
    try self.init(method: API.explanation, members: members)
  }

  init(method: String, members: JSONObject) throws {
    self.init(method: method, params: members.isEmpty ? nil : .object(members))
  }

  private init(method: String, params: JSONValue?) {
    var request: JSONObject = ["jsonrpc": "2.0", "id": 1, "method": .string(method)]
    request["params"] = params
    text = Array(request.jsonText.utf8) + [UInt8(ascii: "\n")]
  }

  /// What the command line shows of secrets to every user of the machine; nil when there are none.
  static func warning(method: String, parameters: [String]) -> String? {
    let secrets = API.methods.first { $0.name == method }.map { secretNames($0) } ?? []
    let names = secrets.filter { name in parameters.contains { mayHold(name, $0) } }
    guard !names.isEmpty else { return nil }
    let line = #"{"jsonrpc":"2.0","id":1,"method":"\#(method)","params":{…}}"#
    return """
      warning: every user of this machine can see the arguments of a process, here \(names.joined(separator: ", ")). \
      Send the request on standard input instead: mambridge <FILE, where FILE has the line \(line)
      """
  }

  /// By name, or by position in an array.
  private static func mayHold(_ name: String, _ parameter: String) -> Bool {
    parameter.hasPrefix("\(name)=") || parameter.hasPrefix("[") || parameter.contains("\"\(name)\"")
  }

  private static func secretNames<M: Method>(_ method: M.Type) -> [String] {
    var components = SchemaComponents()
    return M.Params.fields.describe(in: &components).filter(\.isSecret).map(\.name)
  }

  /// Nil for none.
  private static func params(of method: String, _ parameters: [String]) throws -> JSONValue? {
    if parameters.count == 1, let params = try json(parameters[0]) { return params }
    let members = try members(method, parameters)
    guard !members.isEmpty else { return Optional.none }
    return .object(members)
  }

  /// Nil for text that does not begin as an object or an array.
  private static func json(_ text: String) throws -> JSONValue? {
    guard text.hasPrefix("{") || text.hasPrefix("[") else { return nil }
    do {
      return try JSONValue(parsing: text)
    } catch {
      throw CommandFailure(exitCode: 64, message: "the parameters are not JSON: \(error.message)")
    }
  }

  private static func members(_ method: String, _ parameters: [String]) throws -> JSONObject {
    let forms = API.methods.first { $0.name == method }.map { ParameterForms($0) } ?? ParameterForms()
    var members = JSONObject()
    for parameter in parameters {
      guard let equals = parameter.firstIndex(of: "="), equals != parameter.startIndex else {
        throw CommandFailure(exitCode: 64, message: "\"\(parameter)\" is neither name=value nor a JSON object or array")
      }
      let name = String(parameter[..<equals])
      guard members[name] == nil else { throw CommandFailure(exitCode: 64, message: "\(name) is given twice") }
      members[name] = try forms.value(String(parameter[parameter.index(after: equals)...]), for: name)
    }
    return members
  }
}

/// Asks a handler in this process, over the same session that a connection has.
struct LocalExchange {
  let handler: any MethodHandler

  /// The reply to one request, when it is there.
  func answer(to request: [UInt8]) -> [UInt8] {
    let wakeUp = Semaphore()
    let session = Session(handler: handler) { wakeUp.signal() }
    request.withUnsafeBytes { session.receive($0) }
    session.endOfInput()
    while !session.isFinished {
      wakeUp.wait()
      session.run()
    }
    var answer: [UInt8] = []
    while session.hasOutput {
      let piece = session.withOutput { Array($0) }
      answer += piece
      session.consumeOutput(piece.count)
    }
    return answer
  }
}

struct Schema: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "schema",
    abstract: "Print the OpenRPC document: every method, its parameters, result, errors and SDK members.")

  func run() throws {
    throw ExitCode(
      reportingFailure {
        signal(SIGPIPE, SIG_IGN)
        try printResult(OpenRPC.text(serverVersion: Mambridge.version))
        return EXIT_SUCCESS
      })
  }
}
