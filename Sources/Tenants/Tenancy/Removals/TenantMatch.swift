import JSON
import Model
import Policy

/// Which objects of an older and a newer version of a tenant are the same, by the ids of the older one.
///
/// An id that an object has only because of its place says little: the list may be shorter now. So objects with equal
/// contents are the same before those with equal ids of this kind.
struct TenantMatch: Sendable {
  let policies: [String: String]
  let configurations: [String: String]
  /// Users who have another id now and the same name. In lower case.
  let users: [String: String]

  init(_ old: TenantSnapshot, _ new: TenantSnapshot) {
    policies = Self.pairs(old.matchedPolicies, new.matchedPolicies)
    configurations = Self.pairs(old.matchedConfigurations, new.matchedConfigurations)
    users = Self.users(old, new)
  }

  private static func pairs(_ old: [MatchedObject], _ new: [MatchedObject]) -> [String: String] {
    let named = Set(new.filter { !$0.isNamedByPlace }.map(\.id))
    let same = old.filter { !$0.isNamedByPlace && named.contains($0.id) }.map(\.id)
    var pairs = Dictionary(same.map { ($0, $0) }) { first, _ in first }
    var open = Dictionary(grouping: new.filter { pairs[$0.id] == nil }, by: \.content)
    var rest = old.filter { pairs[$0.id] == nil }.map { ($0.id, $0.content) }
    for isSameID in [true, false] {
      rest = rest.filter { id, content in
        guard let index = open[content]?.firstIndex(where: { !isSameID || $0.id == id }) else { return true }
        pairs[id] = open[content]?.remove(at: index).id
        return false
      }
    }
    let left = Set(open.values.joined().map(\.id))
    for (id, _) in rest where left.contains(id) { pairs[id] = id }
    return pairs
  }

  private static func users(_ old: TenantSnapshot, _ new: TenantSnapshot) -> [String: String] {
    let (before, after) = (Set(old.users.map(\.id.lowercasedASCII)), Set(new.users.map(\.id.lowercasedASCII)))
    let successors = Dictionary(
      new.users.filter { !before.contains($0.id.lowercasedASCII) }
        .map { ($0.userPrincipalName.lowercasedASCII, $0.id.lowercasedASCII) }
    ) { first, _ in first }
    guard !successors.isEmpty else { return [:] }
    let pairs = old.users.compactMap { user -> (String, String)? in
      let id = user.id.lowercasedASCII
      guard !after.contains(id), let now = successors[user.userPrincipalName.lowercasedASCII] else { return nil }
      return (id, now)
    }
    return Dictionary(pairs) { first, _ in first }
  }
}

private struct MatchedObject {
  let id: String
  let object: JSONObject
  let isNamedByPlace: Bool

  /// What the object says, besides its name and when it was written.
  var content: String {
    let names: Set<String> = ["id", "version", "createdDateTime", "lastModifiedDateTime"]
    let said = object.members.filter {
      !names.contains($0.name) && !($0.name.hasPrefix("@odata.") && $0.name != "@odata.type")
    }
    return JSONObject(said.map { ($0.name, $0.value) }.sorted { $0.0 < $1.0 }).jsonText
  }
}

extension TenantSnapshot {
  fileprivate var matchedPolicies: [MatchedObject] {
    zip(policies, policyObjects).map {
      MatchedObject(id: $0.id, object: $1, isNamedByPlace: placeIDs.contains($0.id))
    }
  }

  fileprivate var matchedConfigurations: [MatchedObject] {
    zip(configurations, configurationObjects).map {
      MatchedObject(id: $0.id, object: $1, isNamedByPlace: placeIDs.contains($0.id))
    }
  }
}
