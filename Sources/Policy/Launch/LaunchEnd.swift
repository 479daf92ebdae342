import Model

/// How a conditional launch stands.
package struct LaunchEnd: Sendable {
  package private(set) var findings: [LaunchFinding]
  /// What is open, in the order in which it is asked.
  package private(set) var challenges: [Challenge] = []
  /// Whether the user does not want to do what the policy asks for.
  package private(set) var isCanceled = false
  /// Whether what the app held of the account is gone, or is being removed.
  package var isWiped = false

  package init(_ findings: [LaunchFinding] = []) {
    self.findings = findings
  }

  package var verdict: ConditionalLaunch.Verdict {
    if isWiped || finds(.wipe) { return .wipe }
    if finds(.block) || finds(.challenge) { return .block }
    return finds(.warn) ? .warn : .allow
  }

  /// The rule that decided; nil where none did.
  package var decisive: LaunchFinding? {
    switch verdict {
    case .allow: nil
    case .warn: first(.warn)
    case .block: first(.block) ?? first(.challenge)
    case .wipe: first(.wipe)
    }
  }

  /// Whether a question is not worth asking any more.
  package var isOver: Bool { isCanceled || isWiped || finds(.wipe) || finds(.block) }

  package var warnings: [LaunchFinding] { findings.filter { $0.outcome == .warn } }

  /// The first rule that wants the user to sign in.
  package var signIn: LaunchFinding? { first(.challenge) { $0.setting != .pinRequired } }

  package func finds(_ outcome: LaunchOutcome) -> Bool { findings.contains { $0.outcome == outcome } }

  private func first(_ outcome: LaunchOutcome, where fits: (LaunchFinding) -> Bool = { _ in true }) -> LaunchFinding? {
    findings.first { $0.outcome == outcome && fits($0) }
  }

  package mutating func add(_ finding: LaunchFinding) { findings.append(finding) }

  package mutating func ask(_ challenge: Challenge) { challenges.append(challenge) }

  package mutating func cancel() { isCanceled = true }

  /// All findings of one outcome get another one.
  package mutating func turn(
    _ outcome: LaunchOutcome, into new: LaunchOutcome, _ text: String,
    where fits: (LaunchFinding) -> Bool = { _ in true }
  ) {
    for index in findings.indices where findings[index].outcome == outcome && fits(findings[index]) {
      findings[index].become(new, text)
    }
  }
}
