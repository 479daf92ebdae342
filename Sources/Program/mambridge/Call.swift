import ArgumentParser
import Bridge
import Glibc
import JSON
import JSONRPC
import Support

struct Call: AskingCommand {
  static let configuration = CommandConfiguration(
    commandName: "call",
    abstract: "Call one method, in this process or on a server, and print its result.",
    discussion: """
      mambridge call METHOD --help prints the parameters of a method, its result, its errors and an example.

      Pass the parameters as one JSON object or array, as - to read that JSON from standard input, or in these forms:

        name=value   text if the schema expects a string, and JSON otherwise
        name:=json   JSON, whatever the schema expects
        name=@file   the content of a file: base64 of it if the schema
                     expects bytes, its text if it expects a string, and
                     JSON otherwise; @- is standard input
        name:=@file  JSON from a file

      Never pass a PIN or a token as an argument: every user of this machine can see the arguments of a process. Use - \
      or name=@file instead.

      The result goes to stdout as JSON (exit code 0). An error goes to stderr as JSON (exit code 1). On a terminal, \
      JSON is indented and colored.

      Examples:

        # Ask a policy question
        mambridge call policy.isSaveToAllowedForLocation \\
          location=localDrive account=alice@contoso.example

        # Pass a file
        mambridge call dataProtectionManager.protect \\
          data=@photo.jpg account=alice@contoso.example

        # Pass all parameters as JSON on standard input
        echo '{"string": "hello", "account": "alice@contoso.example"}' |
          mambridge call dataProtectionManager.protectString -
      """)

  @Argument(help: "The name of the method.", completion: .list(API.allMethods.map { $0.name }))
  var method: String

  @Argument(help: ArgumentHelp("The method's parameters.", valueName: "name=value | json | -"))
  var parameters: [String] = []

  @OptionGroup var server: ServerOptions
  @OptionGroup var output: OutputOptions
  @OptionGroup var core: CoreOptions

  func validate() throws { try checkInput(parameters) }

  func run() throws {
    if let warning = CallRequest.warning(method: method, parameters: parameters) { printError("mambridge: \(warning)") }
    throw ExitCode(ask { try CallRequest(method: method, parameters: parameters) })
  }
}

/// One request, built from the command line.
struct CallRequest {
  /// One line, including its newline.
  let text: [UInt8]
  /// The time limit in the request; `nil` if it names none.
  let timeLimit: Duration?
  /// What the words of the command line may have meant.
  let hints: CallHints

  init(method: String, parameters: [String]) throws {
    let params = try Self.params(of: method, parameters)
    self.init(method: method, params: params, hints: CallHints(.call, method, params))
  }

  /// Asks `asker`, such as `policy.explain`, about `query`; `parameters` are those of the query.
  init(explaining query: String, parameters: [String], by asker: String) throws {
    var members: JSONObject = ["query": .string(query)]
    let params = try Self.params(of: query, parameters)
    members["params"] = params
    self.init(method: asker, params: .object(members), hints: CallHints(.explain, query, params))
  }

  init(method: String, members: JSONObject) throws {
    let params: JSONValue? = members.isEmpty ? nil : .object(members)
    self.init(method: method, params: params, hints: CallHints(.call, method, params))
  }

  private init(method: String, params: JSONValue?, hints: CallHints) {
    self.hints = hints
    var request: JSONObject = ["jsonrpc": "2.0", "id": 1, "method": .string(method)]
    request["params"] = params
    text = Array(request.jsonText.utf8) + [UInt8(ascii: "\n")]
    let milliseconds = params?["_meta"]?["timeoutMilliseconds"]?.integerValue
    timeLimit = milliseconds.map { .milliseconds(max(0, $0)) }
  }

  /// A warning about secrets on the command line, where every user of the machine can see them; `nil` if there are
  /// none.
  static func warning(method: String, parameters: [String]) -> String? {
    let secrets = API.allMethods.first { $0.name == method }.map { secretNames($0) } ?? []
    let names = secrets.filter { name in parameters.contains { mayHold(name, $0) } }
    guard !names.isEmpty else { return nil }
    return """
      warning: every user of this machine can see the arguments of a process, including \
      \(names.joined(separator: ", ")). Use a file or standard input instead: mambridge call \(method) \
      \(names[0])=@FILE, or mambridge call \(method) - with the parameters as JSON on standard input
      """
  }

  /// Whether an argument may contain the parameter: by name, in a JSON object, or by position in a JSON array.
  private static func mayHold(_ name: String, _ parameter: String) -> Bool {
    if parameter.hasPrefix("\(name)=") { return !parameter.hasPrefix("\(name)=@") }
    if parameter.hasPrefix("\(name):=") { return !parameter.hasPrefix("\(name):=@") }
    return parameter.hasPrefix("[") || parameter.includes("\"\(name)\"")
  }

  private static func secretNames<M: Method>(_ method: M.Type) -> [String] {
    var components = SchemaComponents()
    return M.Params.fields.describe(in: &components).filter(\.isSecret).map(\.name)
  }

  /// `nil` if there are no parameters.
  private static func params(of method: String, _ parameters: [String]) throws -> JSONValue? {
    if parameters == [ParameterSource.standardInput] { return try input() }
    if parameters.count == 1, let params = try json(parameters[0]) { return params }
    let members = try members(method, parameters)
    guard !members.isEmpty else { return Optional.none }
    return .object(members)
  }

  /// The parameters on standard input: a JSON object or array, or nothing.
  private static func input() throws -> JSONValue? {
    let text = try ParameterSource.file(ParameterSource.standardInput).text(of: "the parameters")
    guard text.contains(where: { !$0.isWhitespace }) else { return Optional.none }
    let params = try parsed(text, "the parameters on standard input")
    guard params.objectValue == nil, params.arrayValue == nil else { return params }
    throw CommandFailure(
      exitCode: 64, message: "the parameters on standard input must be a JSON object or array, not \(params.kind)")
  }

  /// `nil` if the text does not begin as a JSON object or array.
  private static func json(_ text: String) throws -> JSONValue? {
    guard text.hasPrefix("{") || text.hasPrefix("[") else { return nil }
    return try parsed(text, "the parameters")
  }

  private static func parsed(_ text: String, _ what: String) throws -> JSONValue {
    do {
      return try JSONValue(parsing: text)
    } catch {
      throw CommandFailure(exitCode: 64, message: "\(what) are not valid JSON: \(error.message)")
    }
  }

  private static func members(_ method: String, _ parameters: [String]) throws -> JSONObject {
    let forms = API.allMethods.first { $0.name == method }.map { ParameterForms($0) } ?? ParameterForms()
    var members = JSONObject()
    for parameter in parameters {
      let argument = try ParameterArgument(parameter)
      guard members[argument.name] == nil else {
        throw CommandFailure(exitCode: 64, message: "parameter \(argument.name) is given twice")
      }
      members[argument.name] = try argument.value(forms)
    }
    return members
  }
}

/// Answers requests in this process, over the same kind of session that a connection uses.
struct LocalExchange {
  let handler: any MethodHandler
  /// Signaled when the session has something to do, and when the work must stop.
  let wakeUp: Support.Semaphore
  let work: WorkControl

  /// Waits for the reply to one request, which is cancelled if the work must stop.
  func answer(to request: [UInt8]) -> [UInt8] {
    answer(to: request, until: nil) ?? []
  }

  /// `nil` if there is no reply within the limit. The request is cancelled then.
  func answer(to request: [UInt8], within limit: Duration) -> [UInt8]? {
    answer(to: request, until: .now + limit)
  }

  private func answer(to request: [UInt8], until deadline: ContinuousClock.Instant?) -> [UInt8]? {
    let session = Session(handler: handler) { wakeUp.signal() }
    let timer = deadline.map { Timers.shared.after(ContinuousClock.now.duration(to: $0)) { wakeUp.signal() } }
    defer { timer?.cancel() }
    request.withUnsafeBytes { session.receive($0) }
    session.endOfInput()
    while !session.isFinished {
      wakeUp.wait()
      if let deadline, deadline <= .now {
        session.cancelCalls()
        return nil
      }
      if work.isStopped { session.cancelCalls() } else { session.run() }
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
