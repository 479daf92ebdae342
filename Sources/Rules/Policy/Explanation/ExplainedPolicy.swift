import JSON
import Model
import Support

/// What explanations say of one policy, whatever is asked. A compiled policy never changes, so what is made once stays right
/// as long as the policy is in force.
struct PolicyWords: Sendable {
  fileprivate var steps: [ExplanationStep]?
  fileprivate var settings: [SettingName: ExplainedSetting] = [:]
  fileprivate var voidSettings: [VoidSetting]?
}

/// A setting, as one policy has it.
struct ExplainedSetting: Sendable {
  /// In Graph's form; null if the setting has no value, or is for another platform.
  let value: JSONValue
  /// The policy that sets the value; nil for an assumed value.
  let origin: AppliedPolicy?
  /// Whether policies for the platform do not have the setting.
  let isLacking: Bool
  /// The value and its origin as a clause.
  let text: String

  /// `policy` is nil for an account that is not managed.
  init(_ name: SettingName, in policy: EffectivePolicy?) {
    value = policy?.written(name) ?? .null
    origin = policy?.origin(of: name)
    isLacking = policy?.lacks(name) ?? false
    text = Self.text(name, value, origin, isLacking: isLacking, isMerged: policy?.isMerged == true)
  }

  private static func text(
    _ name: SettingName, _ value: JSONValue, _ origin: AppliedPolicy?, isLacking: Bool, isMerged: Bool
  ) -> String {
    if isLacking { return "policies for Windows do not have the setting \(name.rawValue)" }
    guard !value.isNull else { return "the setting \(name.rawValue) is not set" }
    let written = value.jsonText.shortened
    guard let origin else { return "the request assumes that \(name.rawValue) is \(written)" }
    return isMerged
      ? "after the merge, \(name.rawValue) is \(written), from the policy \(origin.spoken)"
      : "the policy \(origin.spoken) sets \(name.rawValue) to \(written)"
  }
}

extension CompiledPolicy {
  /// One step for each policy that it is merged from, and for each member that mambridge does not know.
  var explained: [ExplanationStep] {
    if let steps = words.withLock({ $0.steps }) { return steps }
    let steps = effective.explained + effective.unknownRestrictions.map(\.explained)
    words.withLock { $0.steps = steps }
    return steps
  }

  func explained(_ name: SettingName) -> ExplainedSetting {
    if let setting = words.withLock({ $0.settings[name] }) { return setting }
    let setting = ExplainedSetting(name, in: effective)
    words.withLock { $0.settings[name] = setting }
    return setting
  }

  /// The settings of an area that have no effect.
  func voidSettings(of area: VoidSetting.Area) -> [VoidSetting] { voidSettings.filter { $0.area == area } }

  private var voidSettings: [VoidSetting] {
    if let settings = words.withLock({ $0.voidSettings }) { return settings }
    let settings = effective.voidSettings
    words.withLock { $0.voidSettings = settings }
    return settings
  }
}

extension UnknownRestriction {
  fileprivate var explained: ExplanationStep {
    ExplanationStep(step: .setting, policy: policy, setting: setting, value: value, text: text)
  }
}

extension EffectivePolicy {
  /// One step for each policy that it is merged from.
  fileprivate var explained: [ExplanationStep] {
    sources.map { source in
      let policy = AppliedPolicy(id: source.id, displayName: source.displayName)
      let kind = isDefault ? "the tenant's default policy" : "the policy"
      if source.id == Self.assumedID {
        return ExplanationStep(step: .policy, text: "the request assumes a policy for the account".asSentence)
      }
      let share = isMerged ? "is one of \(sources.count) policies that are merged" : "applies"
      let filter = source.filterNote.map { "; \($0)" } ?? ""
      return ExplanationStep(
        step: .policy, policy: policy, text: "\(kind) \(policy.spoken) \(share)\(filter)".asSentence)
    }
  }

  fileprivate var isMerged: Bool { sources.count > 1 }

  fileprivate func origin(of setting: SettingName) -> AppliedPolicy? {
    guard let id = settings[setting]?.policyID, id != Self.assumedID else { return nil }
    return AppliedPolicy(id: id, displayName: sources.first { $0.id == id }?.displayName ?? "")
  }

  /// The value in Graph's form; nil if the setting has none or is for another platform.
  package func written(_ setting: SettingName) -> JSONValue? {
    value(of: setting).map { setting.definition.write(graph: $0, on: platform) }
  }
}
