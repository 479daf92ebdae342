import Model
import Policy

/// Why settings are refused: which key or file, what is wrong, and what to do. Contains no value.
package struct SettingsError: Error, Equatable, Sendable {
  package enum Reason: Equatable, Sendable {
    case wrongType(expected: String, found: String)
    case unknownKey
    /// A setting of a test policy. The setting is the subject of the text.
    case misfit(String)
    /// A flag without `=`.
    case noValue
    case unreadable(String)
    /// Neither JSON nor a property list, or damaged. The line is given if it is known.
    case malformed(String, line: Int?)
  }

  package let reason: Reason
  package var key: String?
  package var path: String?

  package init(_ reason: Reason, key: String? = nil, path: String? = nil) {
    self.reason = reason
    self.key = key
    self.path = path
  }

  func inFile(_ path: String) -> SettingsError {
    SettingsError(reason, key: key, path: path)
  }

  package var message: String {
    let place = path.map { " in \($0)" } ?? ""
    let setting = "the setting \(key ?? "")\(place)"
    return switch reason {
    case .wrongType(let expected, let found): "\(setting) must be \(expected), not \(found)"
    case .unknownKey: "\(setting) is unknown"
    case .misfit(let why): "\(setting) \(why)"
    case .noValue: "--set needs KEY=VALUE"
    case .unreadable(let why): "the settings\(place) cannot be read (\(why))"
    case .malformed(let why, let line):
      "the settings\(place) cannot be read: \(line.map { "line \($0): " } ?? "")\(why)"
    }
  }

  /// What to do about the error.
  package var hint: String {
    switch reason {
    case .wrongType: "Write the value as \(key.flatMap(SettingKey.init(named:))?.type.example ?? "its type requires")."
    case .unknownKey:
      (key.flatMap(SettingKey.nearestName).map { "Did you mean \($0)? " } ?? "")
        + "settings.get lists all settings, by their names in IntuneMAMSettings."
    case .misfit: "docs/policy-settings.md lists the settings of a policy and their values."
    case .noValue: "Write, for example, --set MultiIdentity=true."
    case .unreadable: "Check the path and its permissions."
    case .malformed: "Use a dictionary as JSON, or as an XML or binary property list."
    }
  }
}

extension SettingsError: CustomStringConvertible {
  package var description: String { "\(message). \(hint)" }
}
