import JSON
import JSONRPC
import Model

/// A question that the app has asked: whether its answer allows or blocks something, and why.
struct AskedQuestion: Sendable {
  /// A reason, and the setting that it is about; `nil` for none that decided.
  struct Ground: Sendable {
    let setting: String?
    let text: String
  }

  enum Grounds: Sendable {
    case known([Ground])
    /// What may wait for the disk or a host is explained only when somebody wants to know.
    case later(@Sendable () async -> [Ground])
  }

  /// What the values of the deciding members mean.
  private static let words = [
    "allow": "allowed", "warn": "allowed only after a warning", "block": "blocked", "wipe": "blocked",
    "open": "allowed", "rewrite": "allowed elsewhere", "load": "allowed", "openInManagedBrowser": "allowed elsewhere",
    "plain": "allowed", "protected": "allowed", "blocked": "blocked", "blockOrgData": "allowed without work data",
  ]
  private static let deciding = ["verdict", "action", "clipboard", "allowed"]
  /// Outcomes of launch rules that keep the user out.
  private static let strictOutcomes: Set = ["block", "wipe", "challenge"]

  private let method: String
  /// Whose policy decided; `nil` if that is not one account.
  var subject: AskedSubject?
  /// "allowed", "blocked", or what is between the two; `nil` if the answer decides nothing.
  private let outcome: String?
  /// The member of the answer that says neither "allowed" nor "blocked", with its value; `nil` if there is none.
  private let between: String?
  private let grounds: Grounds
  private let isLaunch: Bool
  /// The reasons in words, as far as memory has them. Launch rules that passed are none.
  let reasons: [String]
  /// What to say if nothing is decided.
  private let fault: String

  init(_ method: String, answered result: JSONValue, because grounds: Grounds) {
    self.method = method
    outcome = Self.outcome(of: result, method)
    between = Self.between(result, outcome)
    self.grounds = grounds
    isLaunch = false
    if case .known(let known) = grounds { reasons = known.map(\.text) } else { reasons = [] }
    fault = "\(method) does not say whether something is allowed: check \(Self.rest(of: result))"
  }

  /// More members of an answer are only counted.
  private static let mostMembers = 4

  /// What a test can check of an answer that decides nothing.
  private static func rest(of result: JSONValue) -> String {
    if let isTrue = result.boolValue { return "that it is \(isTrue)" }
    var names = result.objectValue.map { $0.members.map(\.name) } ?? []
    if names.count > mostMembers { names = names.prefix(mostMembers - 1) + ["\(names.count - mostMembers + 1) more"] }
    return names.isEmpty ? "what it returns" : "its member\(names.count == 1 ? "" : "s") \(names.listedInWords)"
  }

  init(_ method: String, failedWith error: RPCError) {
    self.method = method
    (outcome, between, grounds, reasons, isLaunch) = (nil, nil, .known([]), [], false)
    fault = "\(method) failed with \(error.name) (\(error.code)): \(error.message)"
  }

  /// The evaluation of a launch; `nil` if the result is none. `user` answers what no host answers.
  init?(_ method: String, launch result: JSONValue, answeredBy user: ScriptedUser?) {
    guard let rules = result["rules"]?.arrayValue else { return nil }
    let fired = rules.filter { $0["outcome"] != "passed" && $0["outcome"] != "notApplicable" }
    self.method = method
    outcome = Self.outcome(of: result, method)
    (between, isLaunch, fault) = (nil, true, "")
    let said = (fired.isEmpty ? rules : fired).map { rule in
      let isStrict = Self.strictOutcomes.contains(rule["outcome"]?.stringValue ?? "")
      let way = user?.wayOut(of: rule, in: result).map { " " + $0 } ?? ""
      return Ground(
        setting: isStrict ? rule["setting"]?.stringValue : nil, text: (rule["text"]?.stringValue ?? "") + way)
    }
    grounds = .known(said)
    reasons = fired.isEmpty ? [] : said.map(\.text)
  }

  /// What `policy.explain` has answered about a method; `nil` if the result is none.
  init?(_ method: String, explained result: JSONValue, answeredBy user: ScriptedUser?) {
    guard let verdict = result["verdict"], let steps = result["because"]?.arrayValue else { return nil }
    if let launch = AskedQuestion(method, launch: verdict, answeredBy: user) {
      self = launch
    } else {
      let grounds = steps.map { Ground(setting: $0["setting"]?.stringValue, text: $0["text"]?.stringValue ?? "") }
      self.init(method, answered: verdict, because: .known(grounds))
    }
  }

  private static func outcome(of result: JSONValue, _ method: String) -> String? {
    if result.boolValue != nil {
      let question = method.split(separator: ".").last ?? ""
      guard question.includes("Allowed") || question.hasPrefix("can") else { return nil }
    }
    let value = deciding.lazy.compactMap { result[$0] }.first { !$0.isNull } ?? result
    if let isAllowed = value.boolValue { return isAllowed ? "allowed" : "blocked" }
    return value.stringValue.flatMap { words[$0] }
  }

  private static func between(_ result: JSONValue, _ outcome: String?) -> String? {
    guard outcome != nil, outcome != "allowed", outcome != "blocked" else { return nil }
    let member = deciding.first { result[$0]?.stringValue != nil }
    return member.map { "The answer has \($0) \"\(result[$0]?.stringValue ?? "")\": check that instead." }
  }

  /// Whether the answer is what is expected. The text says what is the case, with the reasons. `nearest` finds the user
  /// who is most likely meant by a name.
  func meets(
    _ expectation: ExpectInSandbox.Params, _ nearest: (String) -> String?
  ) async -> ExpectInSandbox.Result {
    let (expected, setting) = (expectation.outcome, expectation.setting)
    guard let outcome else { return ExpectInSandbox.Result(isMet: false, text: fault) }
    let grounds =
      switch grounds {
      case .known(let known): known
      case .later(let explain): await explain()
      }
    var seen: Set<String> = []
    let settings = grounds.compactMap(\.setting).filter { seen.insert($0).inserted }
    let by = setting.map { " by \($0)" } ?? ""
    let isByMistake = expected == .allowed && !expectation.unmanaged && subject?.lacksPolicy == true
    let isExpected = outcome == expected.rawValue
    let isMet = isExpected && !isByMistake && (setting.map(settings.contains) ?? true)
    var words = isMet ? "is \(outcome)\(by)" : "should be \(expected.rawValue)\(by), but is \(outcome)"
    if isExpected, isByMistake {
      words += " only because no policy applies"
    } else if !isMet, isExpected {
      words += " by \(settings.isEmpty ? "no setting" : settings.listedInWords)"
    }
    var lines = ["\(method) \(words)"] + grounds.map(\.text)
    if !isMet { lines += further(setting, besides: settings, nearest) }
    if isExpected, isByMistake { lines.append("If the test is about that, pass unmanaged to sandbox.expect.") }
    return ExpectInSandbox.Result(isMet: isMet, text: lines.joined(separator: "\n  "))
  }

  /// Reasons of a failure that the answer itself does not have.
  private func further(_ setting: String?, besides settings: [String], _ nearest: (String) -> String?) -> [String] {
    let lack = setting.flatMap { settings.contains($0) ? nil : subject?.lack(of: $0) }
    // The explanation of any other answer has the standing.
    let standing = isLaunch ? subject?.standing : nil
    let hint = subject?.unknownName.flatMap(nearest).map { "Did you mean \($0)?" }
    return [lack, standing, hint, between].compactMap(\.self)
  }
}
