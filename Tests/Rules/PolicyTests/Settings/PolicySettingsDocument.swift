import TestSupport

@testable import Model
@testable import Policy

/// Generates docs/policy-settings.md from the definitions of the settings.
enum PolicySettingsDocument {
  static var text: String { ([head] + groups + [description, information]).joined(separator: "\n\n") + "\n" }

  private static let head = """
    # The settings of a policy

    This file is generated from the table in `Sources/Rules/Policy/Settings/SettingName+Rows.swift`. A test fails if the two
    differ; `MAMBRIDGE_WRITE_DOCS=1 swift test --filter PolicySettingsDocumentTests` writes the file again.

    Each setting has Microsoft Graph's name, which policy exports use. If the SDK delivers the setting, the SDK's name
    follows, which devices use for storage and in logs, and then other names that mambridge reads. Graph's names match
    exactly, the SDK's names in any case. Under any name, a boolean can be `true` or `false`, `1` or `0`, or one of these
    as text, and a number can be text. Under Graph's name, a word is Graph's word or Graph's number; under the SDK's name,
    it is the SDK's number or Graph's word. The two number words differently: the numbers in parentheses after a word are
    Graph's and the SDK's. A setting that is missing or null never restricts.

    The last column says what the setting *affects*, or why it has *no effect*: mambridge then only keeps and shows it.

    If several policies apply to an account, settings with different values are merged:

    - restricts: the restricting value wins if any policy has it. Words are listed from lenient to strict, and the
      strictest wins.
    - all: the result is what all policies that set it allow or exempt.
    - highest, lowest: the highest or lowest version or duration wins.
    - else: the value given, which is the default of the Intune portal, applies if the policies do not agree.
    - first: the value of the first policy by id wins, with a warning in the log.
    """

  /// The first setting of each group, with the title of the group.
  private static let starts: [(SettingName, title: String)] = [
    (.allowedInboundDataTransferSources, "Data transfer"), (.allowedInboundDataTransferSourceApps, "Windows only"),
    (.managedBrowserToOpenLinksRequired, "Links"),
    (.periodOfflineBeforeAccessCheck, "Access"), (.deviceComplianceRequired, "Conditional launch"),
    (.encryptAppData, "Android only"),
  ]

  private static var groups: [String] {
    let settings = SettingDefinition.all.filter { !$0.role.isDescription }
    let indices = starts.compactMap { start in settings.firstIndex { $0.name == start.0 } } + [settings.count]
    return zip(starts, zip(indices, indices.dropFirst())).map { start, range in
      let rows = settings[range.0..<range.1].map { definition in
        [
          definition.names, definition.type.text, definition.policies, definition.mergeText,
          (definition.role.decides ? "affects " : "no effect: ") + definition.role.text,
        ]
      }
      return table(start.title, ["setting, SDK names", "value", "policies", "merge", "effect"], rows)
    }
  }

  private static var description: String {
    let definitions = SettingDefinition.all.filter(\.role.isDescription)
    return table(
      "Description of a policy", ["member", "meaning"], definitions.map { ["`\($0.name.rawValue)`", $0.role.text] })
  }

  private static var information: String {
    let names = SDKInformation.names.map { "`\($0)`" }.joined(separator: ", ")
    return """
      ## Names without effect

      Devices also store the names below. mambridge reads them without a warning and otherwise ignores them, with one
      exception: `NonBioPassTimeOutRequired` can switch `NonBioPassTimeOut` off. \(names).
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
    let names = ["ios": "iOS", "android": "Android", "windows": "Windows"]
    return PolicyKind.allCases.filter(kinds.contains).map { names[$0.rawValue] ?? $0.rawValue }.joined(separator: ", ")
  }

  private func plainText(_ value: SettingValue) -> String { write(graph: value).jsonText.filter { $0 != "\"" } }

  private func windowsText(unlike value: SettingValue) -> String {
    guard case .portalDefault(let other) = mergeRule(on: .windows), other != value else { return "" }
    return ", on Windows \(plainText(other))"
  }

  fileprivate var mergeText: String {
    switch merge {
    case .restricting(let flag): "\(flag) restricts"
    case .stricter: "restricts"
    case .intersection: "all"
    case .highest: "highest"
    case .lowest: "lowest"
    case .portalDefault(let value): "else \(plainText(value))\(windowsText(unlike: value))"
    case .first: "first"
    case .none: ""
    }
  }
}

extension SDKForm.Form {
  fileprivate var text: String {
    switch self {
    case .plain: ""
    case .inverted: " (inverted)"
    case .seconds: " (seconds)"
    case .minutes: " (minutes)"
    case .days: " (days)"
    case .joined(let separator): " (one text, separated by \(separator == "|" ? "\\|" : String(separator)))"
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
    case .strings(let separator?, _): "texts, separated by \(separator)"
    case .strings(nil, _): "list of texts"
    case .pairs: "list of name and value pairs"
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
