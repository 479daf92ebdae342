import JSON
import Model
import Support

extension DiagnosticSection.Block {
  /// An account, what applies to it, and where that comes from.
  static func account(_ account: DiagnosticAccount, now: Timestamp) -> Self {
    let status = account.status
    var blocks: [Self] = [.note(status.explanation), .facts(account.facts(now: now))]
    if !status.policies.isEmpty { blocks.append(.table(account.consideredPolicies)) }
    if status.isManaged { blocks.append(.table(account.settingsInForce)) }
    if !account.appConfig.isEmpty { blocks.append(.table(account.configuration)) }
    return .group(title: account.name, tag: account.tag, blocks)
  }
}

extension DiagnosticAccount {
  /// The stage of the account's life, or for an enrolled account the worst outcome of its launch checks.
  fileprivate var tag: DiagnosticSection.Text {
    guard status.life.tone == .good, let worst = worstOutcome else {
      return .init(status.life.rawValue, status.life.tone)
    }
    return .init("launch: \(worst.rawValue)", worst.tone)
  }

  /// The worst outcome of the account's launch checks; `nil` if no check warns, asks, blocks or wipes.
  private var worstOutcome: LaunchOutcome? {
    [LaunchOutcome.wipe, .block, .challenge, .warn].first { outcome in
      launchRules.contains { $0.outcome == outcome }
    }
  }

  fileprivate var name: String { status.identity ?? status.accountId ?? "unknown" }

  fileprivate func facts(now: Timestamp) -> [DiagnosticSection.Fact] {
    var facts: [DiagnosticSection.Fact] = [
      .init("Object id", .init(optional: status.accountId)),
      .init("Policy", status.isManaged ? .init("in force", .good) : .init("none", .quiet)),
      .init("Last check-in", .init(status.checkedInAt, now: now)),
      .init("Result", status.resultText),
      .init("Next check-in", .init(status.nextCheckInAt, now: now)),
      .init("Enrolled", .init(status.enrolledAt, now: now)),
      .init("Signed in", .init(status.signedInAt, now: now)),
    ]
    if let clockStatus, clockStatus != .notConfigured {
      facts.append(.init("Clock status", .init(clockStatus.rawValue)))
    }
    return facts
  }

  fileprivate var consideredPolicies: DiagnosticSection.Table {
    let rows = status.policies.map { policy in
      DiagnosticSection.Row(cells: [
        .init(policy.displayName ?? policy.id), policy.applied ? .init("yes", .good) : .init("no", .quiet),
        policy.applied ? .none : .init(policy.text),
      ])
    }
    return .init(title: "Policies in the source", columns: ["Policy", "Applies", "Why not"], rows: rows, empty: "")
  }

  fileprivate var settingsInForce: DiagnosticSection.Table {
    let names = Dictionary((policy?.policies ?? []).map { ($0.id, $0.displayName) }) { first, _ in first }
    let rows = (policy?.settings ?? [:]).sorted { $0.key < $1.key }.map { name, setting in
      DiagnosticSection.Row(cells: [
        .init(name), .init(setting.value), .init(optional: sdkText(setting)),
        .init(names[setting.policyId] ?? setting.policyId),
      ])
    }
    return .init(
      title: "Settings in force", columns: ["Setting", "Value", "SDK setting", "Policy"], rows: rows,
      empty: "The policy has no settings.")
  }

  /// The account's launch rules and their worst outcome.
  var launchBlock: DiagnosticSection.Block {
    let tag = worstOutcome.map { DiagnosticSection.Text($0.rawValue, $0.tone) } ?? .init("allow", .good)
    return .group(title: name, tag: status.life == .wiping ? .init("wipe", .bad) : tag, [.table(launchTable)])
  }

  private var launchTable: DiagnosticSection.Table {
    let rows = launchRules.map { rule in
      DiagnosticSection.Row(
        cells: [
          .init(rule.setting), .init(rule.value), .init(rule.actual), .init(rule.outcome.rawValue, rule.outcome.tone),
          .init(rule.text),
        ], isMinor: rule.outcome == .notApplicable)
    }
    return .init(
      title: "Launch rules", columns: ["Setting", "Value", "Found", "Outcome", "Why"], rows: rows,
      empty: "")
  }

  private func sdkText(_ setting: PolicySettingReport) -> String? {
    guard let name = setting.sdkName else { return nil }
    return setting.sdkValue.isNull ? name : "\(name) = \(setting.sdkValue.stringValue ?? setting.sdkValue.jsonText)"
  }

  fileprivate var configuration: DiagnosticSection.Table {
    let rows = appConfig.flatMap { source in
      source.members.map { DiagnosticSection.Row(cells: [.init($0.name), .init($0.value)]) }
    }
    return .init(title: "App configuration", columns: ["Key", "Value"], rows: rows, empty: "")
  }
}

extension AccountStatus {
  var resultText: DiagnosticSection.Text {
    guard let lastStatus else { return .none }
    return .init(
      "\(lastStatus.statusCode.rawValue) (\(lastStatus.statusCode.sdkValue))", lastStatus.didSucceed ? .good : .warning)
  }
}
