import JSON

/// What a call must end with.
enum ExpectedResult: Hashable {
  /// Any result, but no error.
  case success
  /// A word without quotes: the text itself, or the JSON that it reads as.
  case word(String)
  /// Of an object, the named members; of anything else, the whole value.
  case value(JSONValue)
  /// These elements in any order.
  case unordered([JSONValue])
  /// An error with this name or number.
  case error(String)
  /// A question of this kind to the user, which stays open.
  case challenge(String)
  /// The verdict of a conditional launch.
  case verdict(String)

  var text: String {
    switch self {
    case .success: "a result"
    case .word(let word): word
    case .value(let value): value.jsonText
    case .unordered(let elements): "unordered \(JSONValue.array(elements).jsonText)"
    case .error(let name): "error \(name)"
    case .challenge(let kind): "challenge \(kind)"
    case .verdict(let verdict): verdict
    }
  }

  /// `reply` is a whole JSON-RPC reply.
  func matches(_ reply: JSONValue) -> Bool {
    if case .error(let name) = self {
      return reply["error"]?["data"]?["name"]?.stringValue == name
        || reply["error"]?["code"]?.integerValue == Int64(name)
    }
    if case .challenge(let kind) = self {
      return reply.openChallenges.contains { $0["kind"]?.stringValue == kind }
    }
    guard reply["error"] == nil, let result = reply["result"] else { return false }
    switch self {
    case .word(let word): return result.reads(as: word)
    case .value(let value): return value.isIn(result)
    case .unordered(let elements): return Self.isSame(elements, result.arrayValue)
    case .verdict(let verdict): return result["verdict"]?.stringValue == verdict
    case .success, .error, .challenge: return true
    }
  }

  /// Whether each expected element has one of its own among the others.
  private static func isSame(_ expected: [JSONValue], _ got: [JSONValue]?) -> Bool {
    guard var rest = got, rest.count == expected.count else { return false }
    for element in expected {
      guard let index = rest.firstIndex(of: element) else { return false }
      rest.remove(at: index)
    }
    return true
  }
}

extension JSONValue {
  /// The questions to the user that a reply is about: those of a launch, or that of an error.
  var openChallenges: [JSONValue] {
    if let challenge = self["error"]?["data"]?["challenge"], !challenge.isNull { return [challenge] }
    return self["result"]?["challenges"]?.arrayValue ?? []
  }

  /// The result of a reply, or the name of its error.
  var outcomeText: String {
    guard let error = self["error"] else { return (self["result"] ?? .null).jsonText }
    let name = error["data"]?["name"]?.stringValue ?? error["code"]?.jsonText ?? ""
    return "error \(name): \(error["message"]?.stringValue ?? "")"
  }

  fileprivate func reads(as word: String) -> Bool {
    stringValue == word || (try? JSONValue(parsing: word)) == self
  }

  /// Whether `other` is the same, or an object with the same values for the members of this object.
  fileprivate func isIn(_ other: JSONValue) -> Bool {
    guard let members = objectValue?.members else { return self == other }
    return other.objectValue != nil
      && members.allSatisfy { member in other[member.name].map(member.value.isIn) ?? false }
  }
}
