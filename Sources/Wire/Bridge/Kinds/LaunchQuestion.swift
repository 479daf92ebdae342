import JSON
import JSONRPC
import MAM
import Model
import Policy

/// A method that evaluates a conditional launch. It can be explained by what it would answer: nobody is asked, nothing is
/// checked in, and nothing is wiped.
protocol LaunchQuestion: WorkMethod, ExplainableMethod where Params: Targeted, Result == ConditionalLaunch {}

extension LaunchQuestion {
  static func prepared(_ node: JSONNode?, on connection: BridgeConnection) throws(RPCError) -> PreparedQuestion {
    let asked = Addressed(try innerParams(from: node), on: connection)
    let session = connection.launchSession
    return PreparedQuestion(
      subject: asked.subject,
      means: .work { rooms async throws(MAMError) in
        AttemptedAnswer(try rooms.conditionalLaunch.foresee(asked.identity, in: session))
      })
  }
}

extension AttemptedAnswer {
  fileprivate init(_ foreseen: ForeseenLaunch) {
    let launch = foreseen.launch
    self.init(
      verdict: launch.jsonValue, essence: .string(foreseen.words), words: foreseen.words, reasons: [],
      rules: launch.rules.firedFirst)
  }

  /// One step for each launch rule.
  func ruleSteps(_ policy: EffectivePolicy?) -> [ExplanationStep] {
    rules.map { rule in
      let name = policy?.sources.first { $0.id == rule.policyId }?.displayName ?? ""
      return ExplanationStep(
        step: .rule, policy: AppliedPolicy(id: rule.policyId, displayName: name),
        setting: rule.setting, value: rule.value, text: rule.text)
    }
  }
}

extension ForeseenLaunch {
  /// A clause.
  fileprivate var words: String {
    switch launch.verdict {
    case .allow: "the account's data may be shown"
    case .warn: "the account's data may be shown after the user has accepted the warning"
    case .block where asks: "the account's data may be shown only after the user has answered"
    case .block: "the account's data may not be shown"
    case .wipe: "the account's data is removed from the app"
    }
  }
}

extension LaunchOutcome {
  /// Whether the rule demands something now.
  var hasFired: Bool { self != .passed && self != .notApplicable }

  fileprivate var rank: Int {
    let order: [LaunchOutcome] = [.wipe, .block, .challenge, .warn, .accepted, .passed, .notApplicable]
    return order.firstIndex(of: self) ?? order.count
  }
}

extension [LaunchRuleReport] {
  /// The harshest first; those that passed last.
  fileprivate var firedFirst: [LaunchRuleReport] {
    enumerated().sorted { ($0.element.outcome.rank, $0.offset) < ($1.element.outcome.rank, $1.offset) }.map(\.element)
  }
}
