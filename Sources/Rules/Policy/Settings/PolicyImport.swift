import JSON
import Model

/// Reads typed settings from the members of a policy object, which have Graph's or the SDK's names.
package struct PolicyImport: Sendable {
  package private(set) var settings: [SettingName: SettingValue] = [:]
  package private(set) var about: [SettingName: SettingValue] = [:]
  package private(set) var warnings: [PolicyWarning] = []
  /// The members that have no value because theirs cannot be read.
  private(set) var misfits: [Misfit] = []
  let members: JSONObject
  /// The members that are not known and may restrict. Empty unless `kind` is that of a protection policy.
  package private(set) var unknown: JSONObject = [:]
  private let source: String
  private let kind: PolicyKind?

  struct Misfit: Sendable {
    let definition: SettingDefinition
    let member: String
    /// A predicate of the member.
    let complaint: String
  }

  /// `source` names the policy in warnings; `kind` is nil if the members may be for any platform. A setting may have
  /// both names if both say the same.
  package init(_ members: JSONObject, source: String, kind: PolicyKind? = nil) {
    self.members = members
    self.source = source
    self.kind = kind
    for member in members.members { readGraph(member) }
    for member in members.members where SettingDefinition.named(byGraph: member.name) == nil {
      readSDK(member)
    }
  }

  private mutating func readGraph(_ member: JSONObject.Member) {
    guard let definition = SettingDefinition.named(byGraph: member.name), belongs(definition, member) else { return }
    keep(definition.read(graph: member.value, in: kind), of: definition, member)
    if member.value == "", !definition.type.mayBeEmptyText { note(misfit: "must not be empty", of: definition, member) }
  }

  private mutating func readSDK(_ member: JSONObject.Member) {
    guard let definition = SettingDefinition.named(bySDK: member.name) else { return noteUnknown(member) }
    guard belongs(definition, member) else { return }
    let reading = definition.read(sdk: member.value, as: member.name)
    if let known = settings[definition.name] {
      let name = definition.name.rawValue
      guard members[name] != nil, reading.value != known else { return }
      return note(misfit: "contradicts \(name), which is the same setting", of: definition, member)
    }
    if definition.name == .pinRequiredInsteadOfBiometricTimeout, members.switchesOffBiometricTimeout { return }
    keep(reading, of: definition, member)
    if definition.name == .allowedIosDeviceModels, reading.value != nil { keepModelAction(member.name) }
  }

  /// Whether policies of this kind have the setting. The value of another platform's setting has no effect.
  private mutating func belongs(_ definition: SettingDefinition, _ member: JSONObject.Member) -> Bool {
    guard !definition.role.isDescription else { return true }
    let isForeignName = kind == .windows && definition.name.rawValue != member.name
    guard let kind, isForeignName || !definition.kinds.contains(kind) else { return true }
    if !member.value.isNull, member.value != "" {
      warnings.append(PolicyWarning(source, member.name, definition.notFor(kind), kind: .otherPlatform))
    }
    return false
  }

  /// In the SDK, the name of the list says what happens to other models.
  private mutating func keepModelAction(_ name: String) {
    guard settings[.appActionIfIosDeviceModelNotAllowed] == nil else { return }
    let action: RemediationAction = name.lowercasedASCII.hasSuffix("wipe") ? .wipe : .block
    settings[.appActionIfIosDeviceModelNotAllowed] = .word(action.rawValue)
  }

  private mutating func keep(
    _ reading: SettingReading, of definition: SettingDefinition, _ member: JSONObject.Member
  ) {
    if let complaint = reading.complaint {
      warnings.append(PolicyWarning(source, member.name, complaint))
      if reading.value == nil || definition.targets { note(misfit: complaint, of: definition, member) }
    }
    if definition.role.isDescription {
      about[definition.name] = reading.value
    } else {
      settings[definition.name] = reading.value
    }
  }

  private mutating func note(
    misfit complaint: String, of definition: SettingDefinition, _ member: JSONObject.Member
  ) {
    misfits.append(Misfit(definition: definition, member: member.name, complaint: complaint))
  }

  /// Whether the member is a setting or is known to have no effect.
  static func isKnown(_ name: String) -> Bool {
    SettingDefinition.named(byGraph: name) != nil || SettingDefinition.named(bySDK: name) != nil
      || UnknownMembers.isInformation(name) || SDKInformation.isName(name)
  }

  private mutating func noteUnknown(_ member: JSONObject.Member) {
    guard !Self.isKnown(member.name) else { return }
    let mayRestrict = kind != nil && UnknownMembers.mayRestrict(member.name, member.value)
    if mayRestrict { unknown[member.name] = member.value }
    warnings.append(
      PolicyWarning(
        source, member.name, kind == nil ? "is not known and is ignored" : UnknownMembers.complaint(member),
        kind: mayRestrict ? .unknownRestriction : .ignored))
  }
}

extension JSONObject {
  fileprivate var switchesOffBiometricTimeout: Bool {
    let member = members.first { $0.name.lowercasedASCII == "nonbiopasstimeoutrequired" }
    guard let value = member?.value else { return false }
    return value == false || value.intValue == 0
  }
}

extension JSONValue {
  /// The value as JSON, at most 80 characters, for a warning.
  package var shortText: String {
    let text = jsonText
    return text.count > 80 ? text.prefix(79) + "…" : text
  }
}

/// What was ignored in a policy source, and where.
package struct PolicyWarning: Hashable, Sendable {
  /// The file or the policy.
  package var source: String
  /// The member; nil if the warning is about the whole file or policy.
  package var member: String?
  /// A predicate of the member, such as "must be a list, not 5", or else a sentence.
  package var text: String
  package var kind: Kind

  package enum Kind: String, Hashable, Sendable {
    case ignored
    /// A setting that only policies for another platform have.
    case otherPlatform
    /// A member that mambridge does not know, with a value that may restrict.
    case unknownRestriction
  }

  package init(_ source: String, _ member: String?, _ text: String, kind: Kind = .ignored) {
    self.source = source
    self.member = member
    self.text = text
    self.kind = kind
  }

  package init(_ source: String, _ text: String) {
    self.init(source, nil, text)
  }
}

extension SettingDefinition {
  /// Why the setting has no effect in a policy of this kind.
  fileprivate func notFor(_ kind: PolicyKind) -> String {
    if kinds.contains(kind) {
      return "has no effect, because policies for Windows have Graph's names, here \(name.rawValue)"
    }
    let platforms = DevicePlatform.allCases.filter { kinds.contains($0.policyKind) }.map(\.displayName)
    let own = platforms.joined(separator: " and ")
    return "has no effect in a policy for \(kind.displayName), because only policies for \(own) have this setting"
  }
}

extension PolicyKind {
  fileprivate var displayName: String {
    DevicePlatform.allCases.first { $0.policyKind == self }?.displayName ?? "phones"
  }
}

extension PolicyWarning: CustomStringConvertible {
  package var description: String { member.map { "\(source): \($0): \(text)" } ?? "\(source): \(text)" }
}
