import Model
import Policy

/// A setting that a policy of a tenant sets, and its place.
package struct PlacedSetting: Hashable, Sendable {
  package let name: SettingName
  package let value: SettingValue
  /// The id of the policy.
  package let policy: String
  /// What reports call the policy.
  package let policyName: String
  /// The path of the policy's file relative to the tenant's folder.
  package let file: String
  /// `nil` if it is not known.
  package let line: Int?
  /// The first platform that the policy is for.
  let platform: DevicePlatform

  /// The settings that decide something, by name.
  static func all(of policy: PolicyDocument, _ lines: MemberLines?) -> [PlacedSetting] {
    let deciding = policy.settings.filter { $0.key.definition.role.decides }
    return deciding.sorted { $0.key.rawValue < $1.key.rawValue }.map { name, value in
      let names = [name.rawValue] + (name.definition.sdk?.names ?? [])
      return PlacedSetting(
        name: name, value: value, policy: policy.id, policyName: policy.displayName, file: policy.source,
        line: lines?.line(of: names, inObject: policy.id), platform: policy.kind.platforms.first ?? .ios)
    }
  }

  /// How a value reads in the policy's file.
  package func text(of other: SettingValue?) -> String {
    other.map { name.definition.write(graph: $0, on: platform).shortText } ?? "not set"
  }
}

/// The values that are tried in the place of the setting's own.
extension PlacedSetting {
  /// More entries of one list are not taken out in turn.
  private static let mostEntries = 16

  /// Other values, most likely to make a difference first; `nil` stands for a setting that is not set. Of a word and a
  /// flag, all other values; of a number, a length of time and a version, the absence, the neighbors and the extremes; of
  /// a list, the absence, one entry less and one more.
  package var variations: [SettingValue?] {
    let choices = name.definition.alternatives(to: value, on: platform).map(Optional.some)
    let others: [SettingValue?] =
      switch value {
      case .bool, .word: choices
      case .words: [nil] + choices
      case .integer(let number): [nil, .integer(number - 1), .integer(number + 1)] + choices
      case .duration(let duration): [nil] + Self.near(duration).map { .duration($0) }
      case .version(let version): [nil] + Self.near(version).map { .version($0) }
      case .string(let text): [nil, .string(text + "x")]
      case .strings(let texts): [nil] + Self.near(texts, more: "unnamed.example").map { .strings($0) }
      case .pairs(let pairs):
        [nil] + Self.near(pairs, more: KeyValuePair(name: "Unnamed", value: "x-unnamed")).map { .pairs($0) }
      case .opaque: []
      }
    var seen: Set<SettingValue?> = [value]
    return others.filter { seen.insert($0).inserted && fits($0) }
  }

  /// Whether a policy can have the value.
  private func fits(_ other: SettingValue?) -> Bool {
    guard case .integer(let number)? = other, case .integer(let range) = name.definition.type else { return true }
    return range.contains(number)
  }

  /// One day, hour or minute less and more, whichever the length is a number of; and one minute.
  private static func near(_ duration: ISODuration) -> [ISODuration] {
    let seconds = duration.seconds
    let unit: Int64 = [86_400, 3_600].first { seconds >= $0 && seconds.isMultiple(of: $0) } ?? 60
    return [seconds - unit, seconds + unit, 60].map { ISODuration(seconds: $0) }
  }

  /// The last number less one and more one; and very old and new versions.
  private static func near(_ version: VersionNumber) -> [VersionNumber] {
    let separator: Character = version.text.contains("-") ? "-" : "."
    let parts = version.text.split(separator: separator)
    let last = parts.last.flatMap { Int64($0) } ?? 0
    let front = parts.dropLast().map(String.init)
    let neighbors = [last - 1, last + 1].filter { $0 >= 0 }.map { number in
      (front + [String(number)]).joined(separator: String(separator))
    }
    return (neighbors + ["0.1", "9999"]).compactMap(VersionNumber.init)
  }

  private static func near<Entry>(_ entries: [Entry], more: Entry) -> [[Entry]] {
    let shorter = entries.indices.prefix(mostEntries).map { index in
      entries.enumerated().filter { $0.offset != index }.map(\.element)
    }
    return shorter + [entries + [more]]
  }
}
