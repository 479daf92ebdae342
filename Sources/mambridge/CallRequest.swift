import BridgeAPI
import JSON

/// One request as the command line gives it.
struct CallRequest {
  /// One line, newline included.
  let text: [UInt8]

  init(method: String, parameters: [String]) throws {
    if parameters.count == 1, let params = try Self.json(parameters[0]) {
      self.init(method: method, params: params)
    } else {
      try self.init(method: method, members: Self.members(method, parameters))
    }
  }

  init(method: String, members: JSONObject) throws {
    self.init(method: method, params: members.isEmpty ? nil : .object(members))
  }

  private init(method: String, params: JSONValue?) {
    var request: JSONObject = ["jsonrpc": "2.0", "id": 1, "method": .string(method)]
    request["params"] = params
    text = Array(request.jsonText.utf8) + [UInt8(ascii: "\n")]
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
