import Model

/// Merges the settings of policies that are sorted by id.
struct PolicyMerge {
  typealias Candidate = EffectivePolicy.Setting

  private let documents: [PolicyDocument]
  private let platform: DevicePlatform
  private(set) var settings: [SettingName: Candidate] = [:]
  /// The values of the settings that several policies set, in order of the policies.
  private(set) var candidates: [SettingName: [Candidate]] = [:]
  package private(set) var warnings: [PolicyWarning] = []

  init(_ documents: [PolicyDocument], on platform: DevicePlatform) {
    self.documents = documents
    self.platform = platform
  }

  /// A policy that does not set a setting does not take part in its merge.
  mutating func run() {
    for definition in SettingDefinition.all where !definition.role.isDescription {
      let candidates = documents.compactMap { document in
        document.settings[definition.name].map { Candidate(value: $0, policyID: document.id) }
      }
      guard let first = candidates.first else { continue }
      if candidates.count > 1 { self.candidates[definition.name] = candidates }
      let isAgreed = candidates.allSatisfy { $0.value == first.value }
      settings[definition.name] = isAgreed ? first : decide(definition, among: candidates, first)
    }
  }

  private mutating func decide(
    _ definition: SettingDefinition, among candidates: [Candidate], _ first: Candidate
  ) -> Candidate {
    switch definition.mergeRule(on: platform) {
    case .restricting(let flag): candidates.first { $0.value == .bool(flag) } ?? first
    case .stricter: stricter(candidates, first, definition.type)
    case .intersection(let part): Candidate(value: intersection(candidates, by: part), policyID: first.policyID)
    case .highest: candidates.dropFirst().reduce(first) { $1.value.isGreater(than: $0.value) ? $1 : $0 }
    case .lowest: candidates.dropFirst().reduce(first) { $0.value.isGreater(than: $1.value) ? $1 : $0 }
    case .portalDefault(let value):
      candidates.first { $0.value == value } ?? Candidate(value: value, policyID: first.policyID)
    case .first, .none: keepFirst(first, of: definition.name, candidates)
    }
  }

  private mutating func keepFirst(_ first: Candidate, of name: SettingName, _ candidates: [Candidate]) -> Candidate {
    let others = candidates.dropFirst().filter { $0.value != first.value }.map(\.policyID).joined(separator: ", ")
    let text = "has another value in \(others); the value of the first policy by id, \(first.policyID), applies"
    warnings.append(PolicyWarning("policy \(first.policyID)", name.rawValue, text))
    return first
  }

  private func stricter(_ candidates: [Candidate], _ first: Candidate, _ type: SettingType) -> Candidate {
    guard case .word(let type) = type else { return first }
    return candidates.dropFirst().reduce(first) { strictest, candidate in
      guard case (.word(let old), .word(let new)) = (strictest.value, candidate.value) else { return strictest }
      return old == new || type.stricter(old, new) == old ? strictest : candidate
    }
  }

  private func intersection(_ candidates: [Candidate], by part: MergeRule.PairPart?) -> SettingValue {
    candidates.dropFirst().reduce(candidates[0].value) { $0.intersection($1.value, by: part) }
  }
}

extension SettingValue {
  fileprivate func isGreater(than other: SettingValue) -> Bool {
    switch (self, other) {
    case (.version(let left), .version(let right)): left > right
    case (.duration(let left), .duration(let right)): left > right
    case (.integer(let left), .integer(let right)): left > right
    default: false
    }
  }

  /// Compares texts in any ASCII case.
  fileprivate func intersection(_ other: SettingValue, by part: MergeRule.PairPart?) -> SettingValue {
    switch (self, other) {
    case (.words(let left), .words(let right)): .words(left.filter(right.contains))
    case (.strings(let left), .strings(let right)): .strings(left.common(with: right))
    case (.pairs(let left), .pairs(let right)): .pairs(left.common(with: right, by: part))
    default: self
    }
  }
}

extension [KeyValuePair] {
  /// The URL schemes in the values. Semicolons separate the schemes in a value.
  package var schemes: [String] {
    flatMap { $0.value.split(separator: ";").map(\.trimmedASCII) }.filter { !$0.isEmpty }
  }

  fileprivate func common(with other: Self, by part: MergeRule.PairPart?) -> Self {
    if part == .schemes {
      return [KeyValuePair(name: "Default", value: schemes.common(with: other.schemes).joined(separator: ";"))]
    }
    func identity(_ pair: KeyValuePair) -> String { (part == .name ? pair.name : pair.value).lowercasedASCII }
    let keys = Set(other.map(identity))
    return filter { keys.contains(identity($0)) }
  }
}

extension [String] {
  fileprivate func common(with other: Self) -> Self {
    let keys = Set(other.map(\.lowercasedASCII))
    return filter { keys.contains($0.lowercasedASCII) }
  }
}
