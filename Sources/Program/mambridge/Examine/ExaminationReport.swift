import JSON
import MAM
import Model
import PhoneLogs
import Policy

/// The report of `examine`, as text or JSON. Names and addresses are replaced.
struct ExaminationReport {
  private let examination: Examination
  private let policies: [ShownPolicy]
  private let configurations: [FoundConfiguration]

  init(_ examination: Examination) {
    self.examination = examination
    var replacements = Replacements()
    policies = examination.policies.map { ShownPolicy($0, &replacements) }
    configurations = examination.configurations.map { $0.mapNames { replacements.replaced($0) } }
  }

  // MARK: Text

  func text(on terminal: Terminal) -> String {
    let parts =
      [verdict(terminal), codes(terminal)] + policies.map { $0.lines(terminal) } + [dumps(terminal), names(terminal)]
    let nothing = ["The input has no code, policy or dump of the Intune SDK."]
    let shown = (examination.isEmpty ? [nothing] : []) + parts.filter { !$0.isEmpty }
    return Array(shown.joined(separator: [""])).map { $0 + "\n" }.joined()
  }

  private func verdict(_ terminal: Terminal) -> [String] {
    let verdict = examination.verdict
    var lines: [String] = []
    for claim in verdict.claims {
      let start = claim.isCurrent ? "Cause: " : "Earlier: "
      lines += (start + claim.cause.title + ".").wrapped(to: terminal.width).map { terminal.styled($0, .title) }
      var list = DefinitionList(width: terminal.width)
      list.add("because of", [claim.because.joined(separator: ", ") + ", line \(claim.line)"])
      list.add(claim.cause)
      lines += list.lines(terminal.styled)
    }
    guard !verdict.isDecided, !examination.isEmpty else { return lines }
    if !lines.isEmpty { lines.append("") }
    lines.append(terminal.styled("Not decided by this input.", .title))
    for cause in verdict.candidates {
      lines += ("Perhaps " + cause.title + ".").wrapped(to: terminal.width)
      var list = DefinitionList(width: terminal.width)
      list.add(cause)
      lines += list.lines(terminal.styled)
    }
    return lines
  }

  private func codes(_ terminal: Terminal) -> [String] {
    guard !examination.entries.isEmpty else { return [] }
    let rows = examination.entries.map { entry in
      [
        entry.time?.text ?? "-", String(entry.line),
        entry.code.name + (entry.count > 1 ? " (\(entry.count) times)" : ""),
        (entry.code.meaning ?? "Nobody has checked what it means; see \(entry.code.source).")
          + (entry.isAsserted ? "" : " The input only mentions it."),
        entry.code.actor?.rawValue ?? "-", entry.account.map { "account \($0)" } ?? "-",
      ].map { DiagnosticSection.Text($0) }
    }
    let table = TableLayout(["TIME", "LINE", "CODE", "MEANING", "WHO ACTS", "ACCOUNT"], rows, width: terminal.width)
    let omitted = "\(examination.omitted.grouped) codes before these are not shown"
    return (examination.omitted > 0 ? [omitted] : []) + table.lines(terminal.styled)
  }

  private func dumps(_ terminal: Terminal) -> [String] {
    examination.dumps.flatMap { dump -> [String] in
      var list = DefinitionList(width: terminal.width)
      for (name, value) in dump.facts { list.add(name, [value]) }
      return [terminal.styled("Diagnostic dump, line \(dump.line)", .title)] + list.lines(terminal.styled)
    }
  }

  private func names(_ terminal: Terminal) -> [String] {
    configurations.flatMap { configuration in
      let channel = configuration.channel == .mam ? "app protection" : "the management of the device"
      let text =
        "App configuration through \(channel), line \(configuration.line): \(configuration.names.joined(separator: ", "))"
      return text.shown.wrapped(to: terminal.width)
    }
  }

  // MARK: JSON

  var json: JSONValue {
    let verdict = examination.verdict
    return [
      "decided": .bool(verdict.isDecided), "causes": .array(verdict.claims.map(\.json)),
      "candidates": .array(verdict.candidates.map { .object($0.json) }),
      "codes": .array(examination.entries.map(\.json)), "omittedCodes": .integer(Int64(examination.omitted)),
      "policies": .array(policies.map(\.json)),
      "configurations": .array(
        configurations.map { configuration in
          [
            "line": .integer(Int64(configuration.line)), "channel": .string(configuration.channel.rawValue),
            "names": .array(configuration.names.map(JSONValue.string)),
          ]
        }),
      "dumps": .array(
        examination.dumps.map { dump in
          .object(JSONObject([("line", .integer(Int64(dump.line)))] + dump.facts.map { ($0, .string($1)) }))
        }),
      "lineCount": .integer(Int64(examination.lineCount)),
    ]
  }
}

/// A policy with the names and addresses in it replaced.
private struct ShownPolicy {
  let policy: FoundPolicy
  /// By Graph's names.
  let settings: [(definition: SettingDefinition, value: JSONValue)]

  init(_ policy: FoundPolicy, _ replacements: inout Replacements) {
    self.policy = policy
    var settings: [(SettingDefinition, JSONValue)] = []
    for member in policy.replacedMembers(&replacements).members {
      guard let definition = SettingDefinition.named(byGraph: member.name) else { continue }
      settings.append((definition, member.value))
    }
    self.settings = settings
  }

  private var unknown: [String] { policy.warnings.compactMap(\.member) }

  func lines(_ terminal: Terminal) -> [String] {
    let cut = policy.isCut ? "; its end is missing" : ""
    let title = "Policy (\(policy.kind.rawValue)), line \(policy.line), \(settings.count) settings\(cut)"
    let rows = settings.map { definition, value in
      [
        definition.name.rawValue, value.stringValue ?? value.jsonText,
        (definition.role.decides ? "affects " : "no effect: ") + definition.role.text,
      ].map { DiagnosticSection.Text($0) }
    }
    var lines = [terminal.styled(title, .title)]
    if !rows.isEmpty {
      lines += TableLayout(["SETTING", "VALUE", "EFFECT"], rows, width: terminal.width).lines(terminal.styled)
    }
    if !unknown.isEmpty {
      lines += "Not understood: \(unknown.joined(separator: ", "))".shown.wrapped(to: terminal.width)
    }
    return lines
  }

  var json: JSONValue {
    [
      "line": .integer(Int64(policy.line)), "kind": .string(policy.kind.rawValue), "cut": .bool(policy.isCut),
      "settings": .object(JSONObject(settings.map { ($0.definition.name.rawValue, $0.value) })),
      "notUnderstood": .array(unknown.map(JSONValue.string)),
    ]
  }
}

extension FoundPolicy {
  /// The settings by Graph's names. Only texts can contain names and addresses.
  func replacedMembers(_ replacements: inout Replacements) -> JSONObject {
    let members = TestSettings(settings).graphMembers
    return JSONObject(
      members.members.map { member in
        switch SettingDefinition.named(byGraph: member.name)?.type {
        case .string, .strings, .pairs, .opaque: (member.name, replacements.replaced(member.value))
        default: (member.name, member.value)
        }
      })
  }
}

extension DefinitionList {
  fileprivate mutating func add(_ cause: PhoneCause) {
    add("who acts", [cause.actor.rawValue])
    add("check", [cause.confirmation.asSentence])
    add("do", [cause.remedy.asSentence])
    add("seen in", [cause.sources])
  }
}

extension String {
  fileprivate var asSentence: String { last == "?" ? self : self + "." }
}

extension PhoneDump {
  fileprivate var facts: [(String, String)] {
    let facts: [(String, String?)] = [
      ("enrollmentCompleted", isEnrollmentComplete.map { $0 ? "yes" : "no" }),
      ("enrolledUser", hasEnrolledUser.map { $0 ? "present" : "missing" }),
      ("managementUser", hasManagementUser.map { $0 ? "present" : "missing" }),
      ("accountsNotTargeted", accountsNotTargeted.map(String.init)), ("lastCheckIn", lastCheckIn?.description),
    ]
    return facts.compactMap { name, value in value.map { (name, $0) } }
  }
}

extension Verdict.Claim {
  fileprivate var json: JSONValue {
    var object = cause.json
    object["because"] = .array(because.map(JSONValue.string))
    object["line"] = .integer(Int64(line))
    object["time"] = time.map { .string($0.text) } ?? .null
    object["current"] = .bool(isCurrent)
    return .object(object)
  }
}

extension PhoneCause {
  fileprivate var json: JSONObject {
    [
      "number": .integer(Int64(number)), "title": .string(title), "who": .string(actor.rawValue),
      "check": .string(confirmation), "do": .string(remedy), "sources": .string(sources),
    ]
  }
}

extension Examination.Entry {
  fileprivate var json: JSONValue {
    [
      "code": .string(code.name), "family": .string(code.family.rawValue),
      "meaning": code.meaning.map(JSONValue.string) ?? .null, "source": .string(code.source),
      "who": code.actor.map { .string($0.rawValue) } ?? .null,
      "line": .integer(Int64(line)), "time": time.map { .string($0.text) } ?? .null,
      "account": account.map { .integer(Int64($0)) } ?? .null, "count": .integer(Int64(count)),
      "onlyMentioned": .bool(!isAsserted),
    ]
  }
}
