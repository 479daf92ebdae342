import JSON
import MAM
import Model
import Tenancy

/// The report of `tenant diff`: a table, Markdown, or JSON.
struct DifferenceReport {
  /// More causes of one difference are only counted.
  static let mostCauses = 3

  /// A title and the rows below it.
  private struct Section {
    let title: String
    var rows: [[String]]
  }

  private static let columns = ["EFFECT", "DECISION", "CHANGE", "CAUSE"]

  let differences: TenantDifferences
  /// Whether users are named, or only counted.
  let showsNames: Bool
  /// Whether values of app configurations are shown.
  let showsValues: Bool

  func text(on terminal: Terminal) -> String {
    let rows = sections.flatMap { section in section.rows.map { (section.title, $0) } }
    let table = TableLayout(
      Self.columns, rows.map { row in row.1.map { DiagnosticSection.Text($0.withoutCommands) } },
      groups: rows.map { $0.0.withoutCommands }, width: terminal.width)
    let summary = summary.wrapped(to: terminal.width)
    let silence = silence.map { $0.withoutCommands.wrapped(to: terminal.width) } ?? []
    let lines = (rows.isEmpty ? summary : table.lines(terminal.styled) + [""] + summary) + silence
    return lines.map { $0 + "\n" }.joined()
  }

  var markdown: String {
    let sections = sections.map { section in
      let rows = section.rows.map { row in "| " + row.map(\.escapedForMarkdown).joined(separator: " | ") + " |" }
      let head = ["#### \(section.title.escapedForMarkdown)", "", "| Effect | Decision | Change | Cause |"]
      return (head + ["| --- | --- | --- | --- |"] + rows + [""]).joined(separator: "\n")
    }
    let silence = silence.map { ["\n" + $0.escapedForMarkdown] } ?? []
    return (sections + [summary.escapedForMarkdown] + silence).map { $0 + "\n" }.joined()
  }

  /// What was not compared; `nil` if everything was.
  private var silence: String? {
    guard !differences.notCompared.isEmpty else { return nil }
    let sources = differences.silentSources.map(\.shown).joined(separator: " and ")
    let verb = differences.silentSources.count == 1 ? "does" : "do"
    let parts = differences.notCompared.map(\.text).joined(separator: ", ")
    return "not compared: \(parts): \(sources) \(verb) not say them"
  }

  /// What was compared, or how much differs.
  private var summary: String {
    let extent = "\(counted(differences.userCount, "user")) in \(counted(differences.placeCount, "place"))"
    let pairs = "\(counted(differences.contentCount, "pair")) of contents"
    let asked = "\(counted(differences.questionCount, "question")) about \(pairs)"
    guard differences.isEqual else {
      let counts = DecisionEffect.allCases.compactMap { effect -> String? in
        let count = count(of: effect)
        return count == 0 ? nil : "\(count.grouped) \(effect.rawValue)"
      }
      return "\(counts.joined(separator: ", ")); asked \(asked), for \(extent)"
    }
    return differences.contentCount == 0
      ? "nothing differs: \(extent) get the same"
      : "nothing differs: asked \(asked), for \(extent)"
  }

  private func count(of effect: DecisionEffect) -> Int {
    differences.users.filter { $0.effect == effect }.count + (differences.pins == effect ? 1 : 0)
      + differences.groups.flatMap(\.differences).filter { $0.effect == effect }.count
  }

  private var sections: [Section] {
    var users = differences.users.map { found in
      [
        found.effect.rawValue, people(found.users), found.kind.text,
        found.kind.isOfWipe ? "operations, tenant.json\(found.app.map { ", app \($0)" } ?? "")" : "users, tenant.json",
      ]
    }
    if let pins = differences.pins {
      users.append([pins.rawValue, "certificate pins", "changed", "certificatePins, tenant.json"])
    }
    let first = users.isEmpty ? [] : [Section(title: "Users", rows: users)]
    return first
      + differences.groups.map { group in
        Section(title: title(of: group), rows: group.differences.map(row))
      }
  }

  private func title(of group: TenantDifferences.Group) -> String {
    let devices = group.devices.map(\.text).joined(separator: "; ")
    let policies = group.policies.isEmpty ? "" : ": \(group.policies.briefly)"
    return "\(members(of: group)), \(group.apps.map(\.text).briefly) on \(devices)\(policies)"
  }

  /// The groups by which the policies are for the users, with these users. An object id says nothing to a reader.
  private func members(of group: TenantDifferences.Group) -> String {
    let names = group.groups.filter { !$0.isGUID }
    guard !names.isEmpty else { return people(group.users) }
    let count = counted(group.users.count, "user")
    return "\(names.briefly) (\(showsNames ? "\(count): \(group.users.text)" : count))"
  }

  private func people(_ users: SomeUsers) -> String {
    let count = counted(users.count, "user")
    return showsNames ? "\(count) (\(users.text))" : count
  }

  private func counted(_ count: Int, _ noun: String) -> String { "\(count.grouped) \(noun)\(count == 1 ? "" : "s")" }

  private func row(_ difference: DecisionDifference) -> [String] {
    let subjects = difference.subjects.filter { !$0.isEmpty }
    let change = "\(answer(difference.old, difference)) -> \(answer(difference.new, difference))"
    let decision = ([difference.title] + (subjects.isEmpty ? [] : [subjects.briefly])).joined(separator: " ")
    let causes = difference.causes.prefix(Self.mostCauses).map(text)
    let rest = difference.causes.count - causes.count
    return [
      difference.effect.rawValue, decision, change,
      (causes + (rest > 0 ? ["and \(rest.grouped) more"] : [])).joined(separator: "; "),
    ]
  }

  /// Values of app configurations may be secrets.
  private func answer(_ text: String, _ difference: DecisionDifference) -> String {
    guard difference.isConfiguration, !showsValues, text != "not set" else { return text }
    return text == difference.old ? "a value" : difference.old == "not set" ? "a value" : "another value"
  }

  private func text(of cause: ChangedMember) -> String {
    let isHidden = cause.isConfigured && !showsValues
    let values = "\(cause.old ?? "not set") -> \(cause.new ?? "not set")"
    let change = cause.text ?? (isHidden || cause.old == nil && cause.new == nil ? "changed" : values)
    let place = cause.file + (cause.line.map { ":\($0)" } ?? "") + (cause.isInOldVersion ? " (old)" : "")
    return "\(cause.member) \(change), \(place)"
  }
}

extension DifferenceReport {
  var json: JSONValue {
    [
      "equal": .bool(differences.isEqual), "userCount": .integer(Int64(differences.userCount)),
      "placeCount": .integer(Int64(differences.placeCount)),
      "contentCount": .integer(Int64(differences.contentCount)),
      "questionCount": .integer(Int64(differences.questionCount)),
      "users": .array(differences.users.map(json)),
      "certificatePins": differences.pins.map { .string($0.rawValue) } ?? .null,
      "groups": .array(differences.groups.map(json)),
      "notCompared": .array(differences.notCompared.map { .string($0.rawValue) }),
    ]
  }

  private func json(_ users: UserDifference) -> JSONValue {
    [
      "kind": .string(users.kind.rawValue), "effect": .string(users.effect.rawValue),
      "count": .integer(Int64(users.users.count)), "users": names(users.users),
      "app": users.app.map { .string($0) } ?? .null,
    ]
  }

  private func names(_ users: SomeUsers) -> JSONValue {
    showsNames ? .array(users.names.map { .string($0) }) : .null
  }

  private func json(_ group: TenantDifferences.Group) -> JSONValue {
    [
      "count": .integer(Int64(group.users.count)), "users": names(group.users),
      "apps": .array(group.apps.map { .string($0.text) }), "devices": .array(group.devices.map(\.json)),
      "policies": .array(group.policies.map { .string($0) }),
      "assignedGroups": .array(group.groups.map { .string($0) }),
      "differences": .array(group.differences.map(json)),
    ]
  }

  private func json(_ difference: DecisionDifference) -> JSONValue {
    [
      "effect": .string(difference.effect.rawValue), "decision": .string(difference.decision),
      "title": .string(difference.title), "subjects": .array(difference.subjects.map { .string($0) }),
      "old": .string(answer(difference.old, difference)), "new": .string(answer(difference.new, difference)),
      "causes": .array(difference.causes.map(json)),
    ]
  }

  private func json(_ cause: ChangedMember) -> JSONValue {
    let isHidden = cause.isConfigured && !showsValues
    func value(_ text: String?) -> JSONValue { isHidden ? .null : text.map { .string($0) } ?? .null }
    return [
      "member": .string(cause.member), "old": value(cause.old), "new": value(cause.new),
      "text": cause.text.map { .string($0) } ?? .null, "file": .string(cause.file),
      "line": cause.line.map { .integer(Int64($0)) } ?? .null, "inOldVersion": .bool(cause.isInOldVersion),
    ]
  }
}

extension UserDifference.Kind {
  fileprivate var isOfWipe: Bool { self == .wipeOrdered || self == .wipeTakenBack }
}

extension String {
  /// The text without what the log of a GitHub workflow would take for a command: `::` and `##[`.
  var withoutCommands: String {
    var (text, last) = ("", [Character]())
    for character in self {
      let isColon = character == ":" && last.last == ":"
      let isBracket = character == "[" && last == ["#", "#"]
      text += isColon ? "%3A" : isBracket ? "%5B" : String(character)
      last = Array((last + [character]).suffix(2))
    }
    return text
  }

  /// The text in a cell of a table or a heading of Markdown, without markup, mentions and commands of its own.
  var escapedForMarkdown: String {
    shown.withoutCommands.reduce(into: "") { text, character in
      switch character {
      case "<": text += "&lt;"
      case ">": text += "&gt;"
      case "&": text += "&amp;"
      case "@": text += "&#64;"
      case "\\", "`", "*", "_", "{", "}", "[", "]", "(", ")", "#", "|", "!", "~", "$": text += "\\" + String(character)
      default: text.append(character)
      }
    }
  }
}
