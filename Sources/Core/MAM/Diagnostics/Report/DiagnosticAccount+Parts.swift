import JSON
import Model
import Support

extension DiagnosticAccount {
  /// The account, what applies to it, and where that comes from.
  func part(now: Timestamp) -> DiagnosticSection.Part {
    var tables: [DiagnosticSection.Table] = []
    if !status.policies.isEmpty { tables.append(consideredPolicies) }
    if status.isManaged { tables.append(settingsInForce) }
    if !appConfig.isEmpty { tables.append(configuration) }
    return .init(title: name, tag: tag, note: status.explanation, facts: facts(now: now), tables: tables)
  }

  /// The stage of the account's life, or for an enrolled account the worst outcome of its launch checks.
  private var tag: DiagnosticSection.Text {
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

  /// The verdict of the account's launch checks.
  var launchVerdict: LaunchVerdict {
    if status.life == .wiping { return .wipe }
    return switch worstOutcome {
    case .wipe: .wipe
    case .block, .challenge: .block
    case .warn: .warn
    case .passed, .notApplicable, .accepted, nil: .allow
    }
  }

  /// Whether the launch checks would pass if the user answered what is asked.
  var waitsForUser: Bool { status.life != .wiping && worstOutcome == .challenge }

  private var name: String { status.identity ?? status.accountId ?? "unknown" }

  private func facts(now: Timestamp) -> [DiagnosticSection.Fact] {
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
    for unknown in status.unknownRestrictions {
      facts.append(.init("Not understood", .init(unknown.text, unknown.blocks ? .bad : .warning)))
    }
    return facts
  }

  private var consideredPolicies: DiagnosticSection.Table {
    let rows = status.policies.map { policy in
      DiagnosticSection.Row(cells: [
        .init(policy.displayName ?? policy.id), policy.applied ? .init("yes", .good) : .init("no", .quiet),
        policy.applied ? .none : .init(policy.text),
      ])
    }
    return .init(title: "Policies in the source", columns: ["Policy", "Applies", "Why not"], rows: rows, empty: "")
  }

  /// Grouped by the policy that each setting comes from. Its name is the title of the group, not a row.
  private var settingsInForce: DiagnosticSection.Table {
    let settings = (policy?.settings ?? [:]).filter { $0.key != "displayName" }
    let rows = settings.map { name, setting in
      DiagnosticSection.Row(
        cells: [.init(name), .init(setting.value), .init(optional: sdkText(setting))],
        group: policyName(setting.policyId))
    }
    return .init(
      title: "Settings in force, by policy", columns: ["Setting", "Value", "SDK setting"],
      rows: rows.sorted { ($0.group ?? "", $0.cells[0].text) < ($1.group ?? "", $1.cells[0].text) },
      empty: "The policy has no settings.")
  }

  /// The id, too, if another policy has the same name.
  private func policyName(_ id: String) -> String {
    let policies = policy?.policies ?? []
    guard let name = policies.first(where: { $0.id == id })?.displayName else { return id }
    return policies.contains { $0.displayName == name && $0.id != id } ? "\(name) (\(id))" : name
  }

  /// The account's launch rules and their worst outcome.
  var launchPart: DiagnosticSection.Part {
    let tag = worstOutcome.map { DiagnosticSection.Text($0.rawValue, $0.tone) } ?? .init("allow", .good)
    return .init(title: name, tag: status.life == .wiping ? .init("wipe", .bad) : tag, tables: [launchTable])
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

  private var configuration: DiagnosticSection.Table {
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
