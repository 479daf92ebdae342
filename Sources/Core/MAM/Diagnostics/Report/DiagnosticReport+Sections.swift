import JSON
import Model
import Support

extension DiagnosticReport {
  /// In the order in which a person in support needs them.
  package var sections: [DiagnosticSection] {
    [
      overview, checkIns, accountsSection, launchSection, identitiesSection, settingsSection, deviceSection, logSection,
      about,
    ]
  }

  private var now: Timestamp { information.time }

  private var overview: DiagnosticSection {
    let managed = accounts.filter(\.status.isManaged).count
    let facts: [DiagnosticSection.Fact] = [
      .init("Management", information.isManagementEnabled ? .init("on", .good) : .init("off", .quiet)),
      .init("Accounts", "\(accounts.count) registered, \(managed) managed"),
      .init("Launch", launchText),
      .init("Policy source", sourceText),
      .init("Restart", information.isRestartPending ? .init("pending", .warning) : "not needed"),
    ]
    let errors = sourceError.map { [DiagnosticSection.Fact("Source error", .init($0, .bad))] } ?? []
    let wipes = information.lastWipe.map { [DiagnosticSection.Fact("Last wipe", .init($0.spoken(now: now), .warning))] }
    let clock = information.clockWarning.map { [DiagnosticSection.Fact("Clock", .init($0, .warning))] } ?? []
    return DiagnosticSection(
      id: "overview", title: "Overview", parts: [.init(facts: facts + (wipes ?? []) + errors + clock)])
  }

  /// The verdict, whether only answers of the user are missing, and which part of several accounts it is about.
  private var launchText: DiagnosticSection.Text {
    let managed = accounts.filter(\.status.isManaged)
    let decisive = managed.filter { $0.launchVerdict == launch.verdict }
    let isAsking = launch.verdict == .block && !decisive.isEmpty && decisive.allSatisfy(\.waitsForUser)
    let verdict = isAsking ? "block until the user answers" : launch.verdict.rawValue
    let isPartial = launch.verdict != .allow && managed.count > 1 && !decisive.isEmpty
    return .init(
      verdict + (isPartial ? ", \(decisive.count) of \(managed.count) accounts" : ""),
      isAsking ? .warning : launch.verdict.tone)
  }

  private var sourceText: DiagnosticSection.Text {
    guard sourceError == nil else { return .init("\(information.source.rawValue), cannot be read", .bad) }
    return information.source == .none ? .init("none", .warning) : .init(information.source.rawValue)
  }

  private var about: DiagnosticSection {
    let facts: [DiagnosticSection.Fact] = [
      .init("App", .init(information.appId)), .init("Time", .init("\(now.shortText) UTC")),
    ]
    let named = versions.sorted { $0.key < $1.key }.map { DiagnosticSection.Fact($0.key, .init($0.value)) }
    return DiagnosticSection(id: "about", title: "Versions", parts: [.init(facts: facts + named)])
  }

  private var checkIns: DiagnosticSection {
    let rows = accounts.map { account in
      let status = account.status
      return DiagnosticSection.Row(cells: [
        .init(status.account), .init(since: status.checkedInAt, now: now), status.resultText,
        .init(since: status.contactedAt, now: now), .init(since: status.nextCheckInAt, now: now),
      ])
    }
    let table = DiagnosticSection.Table(
      title: "Time and result", columns: ["Account", "Last", "Result", "Source answered", "Next"], rows: rows,
      empty: "No account is registered, so there are no check-ins.")
    return DiagnosticSection(id: "checkins", title: "Last check-ins", parts: [.init(tables: [table])])
  }

  private var accountsSection: DiagnosticSection {
    let none = DiagnosticSection.Part(
      note: "No account is registered. Call enrollmentManager.registerAndEnrollAccount to enroll one.")
    let parts = accounts.isEmpty ? [none] : accounts.map { $0.part(now: now) }
    return DiagnosticSection(id: "accounts", title: "Accounts and policies", parts: parts)
  }

  private var launchSection: DiagnosticSection {
    let rows = launch.reasons.map { DiagnosticSection.Row(cells: [.init($0.setting), .init($0.text)]) }
    let table = DiagnosticSection.Table(
      title: "Reasons", columns: ["Setting", "Reason"], rows: rows,
      empty: "Nothing keeps the app from running.")
    let verdict = DiagnosticSection.Part(
      note: """
        What conditionalLaunch.evaluate would find now. If an account was offline for too long, this includes the \
        check-in that it makes first.
        """, facts: [.init("Verdict", launchText)], tables: [table])
    let rules = accounts.filter { !$0.launchRules.isEmpty }.map(\.launchPart)
    return DiagnosticSection(id: "launch", title: "Launch checks", parts: [verdict] + rules)
  }

  private var identitiesSection: DiagnosticSection {
    var facts: [DiagnosticSection.Fact] = [
      .init("Primary user", .init(identities.primary)), .init("If no identity is set", .init(identities.effective)),
      .init("Process", .init(optional: identities.process)),
    ]
    facts += identities.threads.sorted { $0.key < $1.key }.map { .init("Thread \($0.key)", .init($0.value)) }
    facts += identities.windows.sorted { $0.key < $1.key }.map { .init("Window \($0.key)", .init($0.value)) }
    return DiagnosticSection(id: "identities", title: "Identities", parts: [.init(facts: facts)])
  }

  private var settingsSection: DiagnosticSection {
    let rows = settings.sorted(by: { $0.key < $1.key }).map { name, setting in
      let isDefault = setting.origin == .defaults
      return DiagnosticSection.Row(
        cells: [
          .init(name), .init(setting.value), .init(setting.origin.rawValue, isDefault ? .quiet : .good),
          .init(setting.meaning),
        ], isMinor: isDefault)
    }
    let table = DiagnosticSection.Table(
      title: "IntuneMAMSettings", columns: ["Setting", "Value", "From", "Meaning"], rows: rows, empty: "")
    return DiagnosticSection(id: "settings", title: "Settings", parts: [.init(tables: [table])])
  }

  private var deviceSection: DiagnosticSection {
    let facts = (device.jsonValue.objectValue?.members ?? []).map { DiagnosticSection.Fact($0.name, .init($0.value)) }
    return DiagnosticSection(id: "device", title: "Device", parts: [.init(facts: facts)])
  }

  private var logSection: DiagnosticSection {
    let rows = log.map { entry in
      DiagnosticSection.Row(cells: [
        .init(entry.time.shortText, moment: .init(entry.time, from: now)),
        .init(entry.level.rawValue, entry.level.tone), .init(entry.category.name),
        .init(entry.message, entry.level.tone),
      ])
    }
    let table = DiagnosticSection.Table(
      title: "The newest lines first", columns: ["Time", "Level", "Category", "Message"], rows: rows,
      empty: "The log has no lines yet.")
    let paths = information.logPaths.map { DiagnosticSection.Fact("File", .init($0)) }
    return DiagnosticSection(id: "log", title: "Diagnostics log", parts: [.init(tables: [table]), .init(facts: paths)])
  }
}

extension AccountStatus {
  fileprivate var account: Account { Account(accountId: accountId, identity: identity) }
}
