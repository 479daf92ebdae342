import Model

/// How a conditional launch stands.
struct LaunchEnd: Sendable {
  private(set) var findings: [LaunchFinding]
  /// What is open, in the order in which it is asked.
  private(set) var challenges: [Challenge] = []
  /// Whether the user does not want to do what the policy asks for.
  private(set) var isCanceled = false
  /// Whether what the app held of the account is gone, or is being removed.
  var isWiped = false

  init(_ findings: [LaunchFinding] = []) {
    self.findings = findings
  }

  var verdict: ConditionalLaunch.Verdict {
    if isWiped || finds(.wipe) { return .wipe }
    if finds(.block) || finds(.challenge) { return .block }
    return finds(.warn) ? .warn : .allow
  }

  /// The rule that decided; nil where none did.
  var decisive: LaunchFinding? {
    switch verdict {
    case .allow: nil
    case .warn: first(.warn)
    case .block: first(.block) ?? first(.challenge)
    case .wipe: first(.wipe)
    }
  }

  /// Whether a question is not worth asking any more.
  var isOver: Bool { isCanceled || isWiped || finds(.wipe) || finds(.block) }

  var warnings: [LaunchFinding] { findings.filter { $0.outcome == .warn } }

  /// The first rule that wants the user to sign in.
  var signIn: LaunchFinding? { first(.challenge) { $0.setting != .pinRequired } }

  func finds(_ outcome: LaunchOutcome) -> Bool { findings.contains { $0.outcome == outcome } }

  private func first(_ outcome: LaunchOutcome, where fits: (LaunchFinding) -> Bool = { _ in true }) -> LaunchFinding? {
    findings.first { $0.outcome == outcome && fits($0) }
  }

  mutating func add(_ finding: LaunchFinding) { findings.append(finding) }

  mutating func ask(_ challenge: Challenge) { challenges.append(challenge) }

  mutating func cancel() { isCanceled = true }

  /// All findings of one outcome get another one.
  mutating func turn(
    _ outcome: LaunchOutcome, into new: LaunchOutcome, _ text: String,
    where fits: (LaunchFinding) -> Bool = { _ in true }
  ) {
    for index in findings.indices where findings[index].outcome == outcome && fits(findings[index]) {
      findings[index].become(new, text)
    }
  }
}
