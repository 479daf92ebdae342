import Model
import Policy

/// Why settings are refused: which key or file, what was wrong, and the way out. Holds no value.
public struct SettingsError: Error, Equatable, Sendable {
  public enum Reason: Equatable, Sendable {
    case wrongType(expected: String, found: String)
    case unknownKey
    /// A setting of a test policy; with the setting as its subject.
    case misfit(String)
    /// A flag without `=`.
    case noValue
    case unreadable(String)
    /// Not JSON and not a property list, or a damaged one; the line where it is known.
    case malformed(String, line: Int?)
  }

  public let reason: Reason
  public var key: String?
  public var path: String?

  public init(_ reason: Reason, key: String? = nil, path: String? = nil) {
    self.reason = reason
    self.key = key
    self.path = path
  }

  func inFile(_ path: String) -> SettingsError {
    SettingsError(reason, key: key, path: path)
  }

  public var message: String {
    let place = path.map { " in \($0)" } ?? ""
    let setting = "the setting \(key ?? "")\(place)"
    return switch reason {
    case .wrongType(let expected, let found): "\(setting) must be \(expected), not \(found)"
    case .unknownKey: "\(setting) is not known"
    case .misfit(let why): "\(setting) \(why)"
    case .noValue: "--set needs KEY=VALUE"
    case .unreadable(let why): "the settings\(place) cannot be read (\(why))"
    case .malformed(let why, let line):
      "the settings\(place) cannot be read: \(line.map { "line \($0): " } ?? "")\(why)"
    }
  }

  /// What to do about it.
  public var hint: String {
    switch reason {
    case .wrongType: "Write it as \(key.flatMap(SettingKey.init(named:))?.type.example ?? "its type asks")."
    case .unknownKey: "settings.get lists all settings; names are those of IntuneMAMSettings."
    case .misfit: "docs/policy-settings.md lists the settings of a policy and their values."
    case .noValue: "Write --set MultiIdentity=true, for example."
    case .unreadable: "Check the path and its permissions."
    case .malformed: "Give a dictionary as JSON, or as a property list in XML or binary form."
    }
  }
}

extension SettingsError: CustomStringConvertible {
  public var description: String { "\(message). \(hint)" }
}
