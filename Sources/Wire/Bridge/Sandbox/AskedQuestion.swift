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
  /// "allowed", "blocked", or what is between the two; `nil` if the answer decides nothing.
  private let outcome: String?
  private let grounds: Grounds
  /// The reasons in words, as far as memory has them. Launch rules that passed are none.
  let reasons: [String]
  /// What to say if nothing is decided.
  private let fault: String

  init(_ method: String, answered result: JSONValue, because grounds: Grounds) {
    self.method = method
    outcome = Self.outcome(of: result, method)
    self.grounds = grounds
    if case .known(let known) = grounds { reasons = known.map(\.text) } else { reasons = [] }
    let what = result.boolValue.map { "that it is \($0)" } ?? "its members"
    fault = "\(method) does not say whether something is allowed: check \(what)"
  }

  init(_ method: String, failedWith error: RPCError) {
    self.method = method
    (outcome, grounds, reasons) = (nil, .known([]), [])
    fault = "\(method) failed with \(error.name) (\(error.code)): \(error.message)"
  }

  /// The evaluation of a launch; `nil` if the result is none.
  init?(_ method: String, launch result: JSONValue) {
    guard let rules = result["rules"]?.arrayValue else { return nil }
    let fired = rules.filter { $0["outcome"] != "passed" && $0["outcome"] != "notApplicable" }
    self.method = method
    outcome = Self.outcome(of: result, method)
    reasons = fired.compactMap { $0["text"]?.stringValue }
    grounds = .known(
      (fired.isEmpty ? rules : fired).map { rule in
        let isStrict = Self.strictOutcomes.contains(rule["outcome"]?.stringValue ?? "")
        return Ground(
          setting: isStrict ? rule["setting"]?.stringValue : nil, text: rule["text"]?.stringValue ?? "")
      })
    fault = ""
  }

  /// What `policy.explain` has answered about a method; `nil` if the result is none.
  init?(_ method: String, explained result: JSONValue) {
    guard let verdict = result["verdict"], let steps = result["because"]?.arrayValue else { return nil }
    if let launch = AskedQuestion(method, launch: verdict) {
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

  /// Whether the answer is what is expected, and because of `setting` if one is named. The text says what is the case,
  /// with the reasons.
  func meets(_ expected: ExpectedOutcome, by setting: String?) async -> ExpectInSandbox.Result {
    guard let outcome else { return ExpectInSandbox.Result(isMet: false, text: fault) }
    let grounds =
      switch grounds {
      case .known(let known): known
      case .later(let explain): await explain()
      }
    var seen: Set<String> = []
    let settings = grounds.compactMap(\.setting).filter { seen.insert($0).inserted }
    let by = setting.map { " by \($0)" } ?? ""
    let isMet = outcome == expected.rawValue && (setting.map(settings.contains) ?? true)
    var words = isMet ? "is \(outcome)\(by)" : "should be \(expected.rawValue)\(by), but is \(outcome)"
    if !isMet, outcome == expected.rawValue {
      words += " by \(settings.isEmpty ? "no setting" : settings.listedInWords)"
    }
    return ExpectInSandbox.Result(
      isMet: isMet, text: (["\(method) \(words)"] + grounds.map(\.text)).joined(separator: "\n  "))
  }
}
