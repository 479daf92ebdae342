/// What a setting is there for, in words.
public enum SettingRole: Hashable, Sendable {
  /// What depends on it: methods, or what is enforced.
  case decides(String)
  /// Kept and shown, but nothing depends on it; why.
  case informs(String)
  /// Tells who, what or for whom a policy is; not a setting of it.
  case describes(String)
}

extension SettingRole {
  public var isDescription: Bool { if case .describes = self { true } else { false } }
  public var decides: Bool { if case .decides = self { true } else { false } }

  public var text: String {
    switch self {
    case .decides(let text), .informs(let text), .describes(let text): text
    }
  }
}

extension SettingDefinition {
  public var role: SettingRole { name.role }
}
