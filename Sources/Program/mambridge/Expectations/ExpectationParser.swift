import Bridge
import JSON
import Model
import Support

/// Reads the lines of a file of expectations.
struct ExpectationParser {
  private var words: ArraySlice<ExpectationWord> = []
  private var first: ExpectationWord

  private init(_ words: [ExpectationWord]) {
    first = words.first ?? ExpectationWord(text: "", isQuoted: false, place: ExpectationPlace(line: 1, column: 1))
    self.words = words.dropFirst()
  }

  static let keywords = [
    "test", "set", "as", "tenant", "device", "network", "clock", "answer", "launch", "active", "unreviewed",
  ]

  /// The tests of a file, each with the lines before the first test.
  static func script(_ content: [UInt8], path: String) throws(ExpectationError) -> ExpectationScript {
    var common: [ExpectedStep] = []
    var tests: [ExpectedTest] = []
    var names: Set<String> = []
    for words in try ExpectationLexer.lines(of: content) {
      var parser = ExpectationParser(words)
      if parser.first.text == "test", !parser.first.isQuoted {
        let test = try parser.test(beginningWith: common)
        guard names.insert(test.name).inserted else {
          throw ExpectationError(place: test.place, message: "the file has two tests with the name \"\(test.name)\"")
        }
        tests.append(test)
      } else if tests.isEmpty {
        common.append(try parser.step())
      } else {
        tests[tests.count - 1].steps.append(try parser.step())
      }
    }
    return ExpectationScript(path: path, tests: tests)
  }

  private mutating func test(beginningWith common: [ExpectedStep]) throws(ExpectationError) -> ExpectedTest {
    let name = try next("the name of the test")
    var time: String?
    if take("at") {
      let word = try next("a time such as 2026-01-31T09:30:00Z")
      guard Timestamp(word.text) != nil else { throw Self.notATime(word) }
      time = word.text
    }
    try end()
    return ExpectedTest(name: name.text, place: first.place, time: time, steps: common)
  }

  private mutating func step() throws(ExpectationError) -> ExpectedStep {
    let action = try action()
    try end()
    return ExpectedStep(action: action, place: first.place)
  }

  private mutating func action() throws(ExpectationError) -> ExpectedStep.Action {
    switch first.text {
    case "set": return .set(try assignment("a setting, such as MultiManagedIdentities=true"))
    case "as": return .actAs(try actor())
    case "tenant": return .tenant(try tenantEdit())
    case "device": return .device(try assignments("a property of the device, such as jailbroken=true"))
    case "network": return .network(isOn: try choice("on or off", ["on": true, "off": false]))
    case "clock": return .clock(try clock())
    case "answer": return .answer(try userAnswer())
    case "unreviewed": return .unreviewed
    case "launch": return try launch("conditionalLaunch.evaluate")
    case "active": return try launch("conditionalLaunch.didBecomeActive")
    default: return try call()
    }
  }

  private mutating func actor() throws(ExpectationError) -> Actor {
    var actor = Actor(user: try next("a user principal name").text)
    if take("in") { actor.app = try next("the id of an app").text }
    if take("on") {
      actor.platform = try choice(
        "ios, android or windows", ["ios": "ios", "android": "android", "windows": "windows"])
    }
    if take("->") { actor.status = try next("the name or number of a status").text }
    return actor
  }

  private mutating func tenantEdit() throws(ExpectationError) -> TenantEdit {
    let word = try next("user, policy or remove")
    switch word.text {
    case "user":
      let user = try next("a user principal name").text
      return .user(user, members: try assignments("a member of the user, such as licensed:=false"))
    case "policy":
      let file = try file()
      return .policy(file: file, members: try assignments("a member of the policy, such as pinRequired:=true"))
    case "remove": return .remove(file: try file())
    default: throw ExpectationError(place: word.place, message: "this must be user, policy or remove")
    }
  }

  /// A path below the folder of the tenant.
  private mutating func file() throws(ExpectationError) -> String {
    let word = try next("the path of a file in the tenant's folder")
    let parts = word.text.split(separator: "/", omittingEmptySubsequences: false)
    guard !parts.contains(where: { $0.isEmpty || $0 == "." || $0 == ".." }) else {
      throw ExpectationError(
        place: word.place, message: "the path must be relative to the tenant's folder, and stay in it")
    }
    return word.text
  }

  private mutating func clock() throws(ExpectationError) -> String {
    let word = try next("a duration such as +P91D, or a time such as 2026-01-31T09:30:00Z")
    let isDuration = word.text.hasPrefix("+") && ISODuration(String(word.text.dropFirst())) != nil
    guard isDuration || Timestamp(word.text) != nil else { throw Self.notATime(word) }
    return word.text
  }

  private mutating func userAnswer() throws(ExpectationError) -> UserAnswer {
    let word = try next("pin=PIN, signIn, accept, refuse or cancel")
    if word.text.hasPrefix("pin="), word.text.utf8.count > 4 { return .pin(String(word.text.dropFirst(4))) }
    let answers: [String: UserAnswer] = ["signIn": .signIn, "accept": .accept, "refuse": .refuse, "cancel": .cancel]
    guard let answer = answers[word.text] else {
      throw ExpectationError(place: word.place, message: "this must be pin=PIN, signIn, accept, refuse or cancel")
    }
    return answer
  }

  private mutating func launch(_ method: String) throws(ExpectationError) -> ExpectedStep.Action {
    guard take("->") else { throw missing("-> and a verdict") }
    let word = try next("allow, warn, block, wipe, or challenge and its kind")
    let result: ExpectedResult
    if word.text == "challenge" {
      result = .challenge(try challengeKind())
    } else if LaunchVerdict(rawValue: word.text) != nil {
      result = .verdict(word.text)
    } else {
      let verdicts = LaunchVerdict.allCases.map(\.rawValue).joined(separator: ", ")
      throw ExpectationError(
        place: word.place, message: "the verdict must be one of \(verdicts), or challenge and its kind")
    }
    return .call(method: method, parameters: [], result, because: try because())
  }

  private mutating func call() throws(ExpectationError) -> ExpectedStep.Action {
    let names = API.methods.map { $0.name }
    guard !first.isQuoted, names.contains(first.text) else { throw unknown(names) }
    var parameters: [String] = []
    while let word = words.first, word.text != "->", word.text != "because" {
      parameters.append(try assignment("a parameter, such as location=dropbox"))
    }
    let result = take("->") ? try self.result() : .success
    return .call(method: first.text, parameters: parameters, result, because: try because())
  }

  private mutating func result() throws(ExpectationError) -> ExpectedResult {
    let word = try next("a result")
    guard !word.isQuoted else { return .value(.string(word.text)) }
    switch word.text {
    case "error": return .error(try next("the name of an error").text)
    case "challenge": return .challenge(try challengeKind())
    case "unordered":
      let list = try next("an array")
      guard !list.isQuoted, let elements = (try? JSONValue(parsing: list.text))?.arrayValue else {
        throw ExpectationError(place: list.place, message: "unordered needs an array, such as [\"a\", \"b\"]")
      }
      return .unordered(elements)
    default:
      guard word.text.hasPrefix("{") || word.text.hasPrefix("["), let value = try? JSONValue(parsing: word.text) else {
        return .word(word.text)
      }
      return .value(value)
    }
  }

  private mutating func challengeKind() throws(ExpectationError) -> String {
    let word = try next("the kind of the challenge, such as enterPIN")
    let kinds = Challenge.Kind.allCases.map(\.rawValue)
    guard kinds.contains(word.text) else {
      throw ExpectationError(
        place: word.place, message: "the kind of a challenge must be one of \(kinds.joined(separator: ", "))")
    }
    return word.text
  }

  private mutating func because() throws(ExpectationError) -> [String]? {
    guard take("because") else { return nil }
    guard !words.isEmpty else { throw missing("the name of a setting") }
    defer { words = [] }
    return words.map(\.text)
  }
}

extension ExpectationParser {
  private mutating func assignments(_ what: String) throws(ExpectationError) -> [String] {
    var texts = [try assignment(what)]
    while !words.isEmpty { texts.append(try assignment(what)) }
    return texts
  }

  private mutating func assignment(_ what: String) throws(ExpectationError) -> String {
    let word = try next(what)
    guard !word.isQuoted, let equals = word.text.firstIndex(of: "="), equals > word.text.startIndex,
      (try? ParameterArgument(word.text)) != nil
    else {
      throw ExpectationError(place: word.place, message: "\"\(word.text.shown)\" is not \(what)")
    }
    return word.text
  }

  private mutating func choice<Value>(_ what: String, _ values: [String: Value]) throws(ExpectationError) -> Value {
    let word = try next(what)
    guard let value = values[word.text] else {
      throw ExpectationError(place: word.place, message: "\"\(word.text.shown)\" is not \(what)")
    }
    return value
  }

  private mutating func next(_ what: String) throws(ExpectationError) -> ExpectationWord {
    guard let word = words.popFirst() else { throw missing(what) }
    return word
  }

  /// Takes the next word if it is this one, without quotes.
  private mutating func take(_ text: String) -> Bool {
    guard let word = words.first, word.text == text, !word.isQuoted else { return false }
    words.removeFirst()
    return true
  }

  private func end() throws(ExpectationError) {
    guard let word = words.first else { return }
    throw ExpectationError(place: word.place, message: "\"\(word.text.shown)\" is too much on this line")
  }

  private func missing(_ what: String) -> ExpectationError {
    ExpectationError(place: first.place, message: "\"\(first.text.shown)\" needs \(what)")
  }

  private func unknown(_ names: [String]) -> ExpectationError {
    let name = first.text
    let nearest = name.contains(".") ? OpenRPC.nearestName(to: name) : Self.keywords.nearest(to: name)
    let hint = nearest.map { "Did you mean \($0)? " } ?? ""
    return ExpectationError(
      place: first.place,
      message: "\"\(name.shown)\" is neither a method nor one of \(Self.keywords.joined(separator: ", ")). \(hint)"
        + "\"mambridge schema\" lists the methods")
  }

  private static func notATime(_ word: ExpectationWord) -> ExpectationError {
    ExpectationError(
      place: word.place,
      message:
        "\"\(word.text.shown)\" must be a time such as 2026-01-31T09:30:00Z, or after \"clock\" a duration such as "
        + "+P91D")
  }
}
