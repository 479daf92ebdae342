import JSON
import Model

/// What a pull has changed in a tenant folder.
package struct PullChanges: Hashable, Sendable {
  /// One setting of one policy. An added policy has no old values and a removed one no new ones.
  package struct Setting: Hashable, Sendable {
    package var policy: String
    package var setting: String
    package var old: JSONValue?
    package var new: JSONValue?
  }

  package var added: [String] = []
  package var removed: [String] = []
  package var settings: [Setting] = []
  package var usersAdded = 0
  package var usersRemoved = 0
  package var usersChanged = 0

  /// Changes with each save, so it says nothing.
  private static let unspoken: Set<String> = ["lastModifiedDateTime", "version"]

  package init(from old: PulledFolder?, to new: PulledFolder) {
    let (before, after) = (Self.byID(old), Self.byID(new))
    for (id, policy) in after.sorted(by: { $0.key < $1.key }) {
      guard let earlier = before[id] else {
        added.append(policy.title)
        continue
      }
      settings += Self.settings(earlier, policy)
    }
    removed = before.filter { after[$0.key] == nil }.map(\.value.title).sorted()
    countUsers(old?.users ?? [], new.users)
  }

  package var isEmpty: Bool {
    added.isEmpty && removed.isEmpty && settings.isEmpty && usersAdded + usersRemoved + usersChanged == 0
  }

  private static func byID(_ folder: PulledFolder?) -> [String: JSONObject] {
    let all = (folder?.policies ?? [:]).flatMap { list, policies in
      policies.map { ("\(list.file) \($0.text("id"))", $0) }
    }
    let filters = (folder?.filters ?? []).map { ("\(PulledFolder.filterFile) \($0.text("id"))", $0) }
    return Dictionary(all + filters) { first, _ in first }
  }

  private static func settings(_ old: JSONObject, _ new: JSONObject) -> [Setting] {
    let names = new.names + old.names.filter { new[$0] == nil }
    return names.filter { !unspoken.contains($0) && !$0.contains("@odata.") }.compactMap { name in
      let (before, after) = (old[name] ?? .null, new[name] ?? .null)
      guard before.comparable != after.comparable else { return nil }
      return Setting(policy: new.title, setting: name, old: before.spoken, new: after.spoken)
    }
  }

  private mutating func countUsers(_ old: [JSONObject], _ new: [JSONObject]) {
    let before = Dictionary(old.map { ($0.text("id").lowercasedASCII, $0) }) { first, _ in first }
    var kept = 0
    for user in new {
      guard let earlier = before[user.text("id").lowercasedASCII] else {
        usersAdded += 1
        continue
      }
      kept += 1
      if earlier != user { usersChanged += 1 }
    }
    usersRemoved = max(0, before.count - kept)
  }
}

extension PullChanges {
  package var jsonValue: JSONValue {
    [
      "policiesAdded": .array(added.map(JSONValue.string)), "policiesRemoved": .array(removed.map(JSONValue.string)),
      "settings": .array(
        settings.map { change in
          [
            "policy": .string(change.policy), "setting": .string(change.setting), "old": change.old ?? .null,
            "new": change.new ?? .null,
          ]
        }),
      "usersAdded": .integer(Int64(usersAdded)), "usersRemoved": .integer(Int64(usersRemoved)),
      "usersChanged": .integer(Int64(usersChanged)),
    ]
  }

  /// Lines for people.
  package var lines: [String] {
    guard !isEmpty else { return ["nothing changed"] }
    let counts = [(usersAdded, "added"), (usersRemoved, "removed"), (usersChanged, "changed")]
      .filter { $0.0 > 0 }.map { "\($0.0) \($0.1)" }
    return added.map { "added: \($0)" } + removed.map { "removed: \($0)" }
      + settings.map { change in
        "\(change.policy): \(change.setting.shown(atMost: 100)): \((change.old ?? .null).short) -> \((change.new ?? .null).short)"
      } + (counts.isEmpty ? [] : ["users: \(counts.joined(separator: ", "))"])
  }
}

extension JSONObject {
  fileprivate var title: String {
    let name = text("displayName")
    return name.isEmpty ? text("id") : name.shown(atMost: 120)
  }
}

extension JSONValue {
  /// Equal for lists that differ in their order, or in members that only say where they come from.
  fileprivate var comparable: JSONValue {
    switch self {
    case .array(let elements): .array(elements.map(\.comparable).sorted { $0.jsonText < $1.jsonText })
    case .object(let object):
      .object(
        JSONObject(
          object.members.filter { !Self.namesOnly.contains($0.name) }.map { ($0.name, $0.value.comparable) }
            .sorted { $0.0 < $1.0 }))
    default: self
    }
  }

  private static let namesOnly: Set<String> = ["@odata.context", "@odata.etag", "version"]

  /// Apps by their identifier, and assignments by their group.
  fileprivate var spoken: JSONValue {
    guard let elements = arrayValue else { return self }
    return .array(elements.map { $0.spokenApp ?? $0.spokenTarget ?? $0 })
  }

  private var spokenApp: JSONValue? {
    guard let identifier = self["mobileAppIdentifier"] else { return nil }
    return identifier["bundleId"] ?? identifier["packageId"] ?? identifier["windowsAppId"]
  }

  private var spokenTarget: JSONValue? {
    guard let target = self["target"], let type = target["@odata.type"]?.stringValue?.lowercasedASCII else {
      return nil
    }
    let group = target["groupId"]?.stringValue ?? ""
    switch type.split(separator: ".").last {
    case "exclusiongroupassignmenttarget": return .string("not \(group)")
    case "groupassignmenttarget": return .string(group)
    case "alllicensedusersassignmenttarget", "alldevicesassignmenttarget": return "everybody"
    default: return .string("nobody, because the target \(type) is not known")
    }
  }

  fileprivate var short: String { jsonText.shown(atMost: 100) }
}
