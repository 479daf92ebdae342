import Bridge
import JSON

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
