import TestSupport

@testable import Model
@testable import Policy

/// docs/policy-settings.md, as the definitions of the settings have it.
enum PolicySettingsDocument {
  static var text: String { ([head] + groups + [description, information]).joined(separator: "\n\n") + "\n" }

  private static let head = """
    # The settings of a policy

    Written from the table in `Sources/Policy/Settings/SettingName.swift` by a test, which fails when this file differs;
    with `MAMBRIDGE_WRITE_DOCS=1 swift test --filter PolicySettingsDocumentTests` it is written anew.

    A setting has Microsoft Graph's name, under which policies are exported, and where the SDK delivers it also the
    SDK's, under which devices keep and log it; further names are read too. Graph's names are matched exactly, the
    SDK's in any case. Both may have `true`/`false`, `1`/`0` or the same as text for a boolean, and a number as text.
    Words may stand as Graph's word or Graph's number under Graph's name, as the SDK's number or Graph's word under the
    SDK's: the two count differently. In brackets behind a word stand Graph's number and the SDK's. A setting that is
    missing or null never restricts.

    *Decides* says what depends on a setting, *informs* that it is only kept and shown, and why nothing depends on it.
    When several policies are for one account, settings that differ are merged:

    - restricts: the value that restricts, where one policy has it; of words the stricter one, as they are listed here
      from lenient to strict
    - all: what every policy that sets it allows or exempts
    - highest, lowest: of versions and durations
    - else: the value named there, which the portal proposes, when the policies do not agree
    - first: the value of the first policy by id, with a warning in the log
    """

  /// Each goes from the first setting that it names to the next group's.
  private static let starts: [(SettingName, title: String)] = [
    (.allowedInboundDataTransferSources, "Data transfer"), (.managedBrowserToOpenLinksRequired, "Links"),
    (.periodOfflineBeforeAccessCheck, "Access"), (.deviceComplianceRequired, "Conditional launch"),
    (.encryptAppData, "Android alone"),
  ]

  private static var groups: [String] {
    let settings = SettingDefinition.all.filter { !$0.role.isDescription }
    let indices = starts.compactMap { start in settings.firstIndex { $0.name == start.0 } } + [settings.count]
    return zip(starts, zip(indices, indices.dropFirst())).map { start, range in
      let rows = settings[range.0..<range.1].map { definition in
        [
          definition.names, definition.type.text, definition.policies, definition.mergeText,
          (definition.role.decides ? "decides " : "informs: ") + definition.role.text,
        ]
      }
      return table(start.title, ["setting, SDK name", "value", "policies", "merge", "what it does"], rows)
    }
  }

  private static var description: String {
    let definitions = SettingDefinition.all.filter(\.role.isDescription)
    return table(
      "About a policy", ["member", "what it does"], definitions.map { ["`\($0.name.rawValue)`", $0.role.text] })
  }

  private static var information: String {
    let names = SDKInformation.names.map { "`\($0)`" }.joined(separator: ", ")
    return """
      ## Known without effect

      Devices keep these beside the settings. They are read without a warning, and nothing depends on them, but that
      `NonBioPassTimeOutRequired` switches `NonBioPassTimeOut` off: \(names).
      """
  }

  private static func table(_ title: String, _ columns: [String], _ rows: [[String]]) -> String {
    let lines = [columns, columns.map { _ in "---" }] + rows
    return "## \(title)\n\n" + lines.map { "| " + $0.joined(separator: " | ") + " |" }.joined(separator: "\n")
  }
}

extension SettingDefinition {
  fileprivate var names: String {
    (["`\(name.rawValue)`"] + (sdk?.names ?? []).map { "`\($0)`" + (sdk?.form(of: $0).text ?? "") })
      .joined(separator: ", ")
  }

  fileprivate var policies: String {
    PolicyKind.allCases.filter(kinds.contains).map { ["ios": "iOS", "android": "Android"][$0.rawValue] ?? $0.rawValue }
      .joined(separator: ", ")
  }

  fileprivate var mergeText: String {
    switch merge {
    case .restricting(let flag): "\(flag) restricts"
    case .stricter: "restricts"
    case .intersection: "all"
    case .highest: "highest"
    case .lowest: "lowest"
    case .portalDefault(let value): "else \(write(graph: value).jsonText.filter { $0 != "\"" })"
    case .first: "first"
    case .none: ""
    }
  }
}

extension SDKForm.Form {
  fileprivate var text: String {
    switch self {
    case .plain: ""
    case .inverted: " (means the opposite)"
    case .seconds: " (seconds)"
    case .minutes: " (minutes)"
    case .days: " (days)"
    case .joined(let separator): " (one text with \(separator == "|" ? "\\|" : String(separator)))"
    }
  }
}

extension SettingType {
  fileprivate var text: String {
    switch self {
    case .bool: "boolean"
    case .integer(let range): "\(range.lowerBound) to \(range.upperBound)"
    case .duration: "duration"
    case .string: "text"
    case .word(let type): type.text
    case .words(let type, _): "list of " + type.text
    case .version: "version"
    case .strings(let separator?, _): "texts, joined by \(separator)"
    case .strings(nil, _): "list of texts"
    case .pairs: "list of names and values"
    case .opaque: "any"
    }
  }
}

extension GraphEnum {
  fileprivate static var text: String {
    fromLenientToStrict.map { value in
      let numbers = [value.graphNumber, value.sdkNumber].map { $0.map(String.init) ?? "-" }.joined(separator: ", ")
      return "`\(value.rawValue)` (\(numbers))"
    }.joined(separator: " ")
  }
}
