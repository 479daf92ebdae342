import JSON
import Model
import Policy
import Support

/// Checks what a client writes of a policy, as strictly as Graph, and gives values their normal form.
struct GraphPolicyBody: Sendable {
  let type: GraphPolicyType
  let isBeta: Bool

  init(_ list: PolicyList, isBeta: Bool) {
    type = GraphPolicyType[list]
    self.isBeta = isBeta
  }

  /// The members of a new policy with the defaults of those that are missing or null.
  func created(_ body: JSONObject, _ stamp: GraphStamp) throws(GraphError) -> JSONObject {
    try checkType(body["@odata.type"])
    var given = try checked(body, isPatch: false)
    guard given["displayName"]?.stringValue.map({ !$0.isEmpty }) == true else {
      throw .mismatch("displayName", "a text that is not empty", body["displayName"] ?? .null)
    }
    let targets = GraphTargetsBody(type.list)
    try targets.complete(&given, body)
    let defaults = GraphDefaults.of(type.list)
    var object: JSONObject = ["@odata.type": .string(type.list.type)]
    for member in type.members {
      switch member.name {
      case "id": object[member.name] = .string(stamp.id)
      case "createdDateTime", "lastModifiedDateTime": object[member.name] = .string(stamp.creation)
      case "version": object[member.name] = .string(stamp.version)
      default: object[member.name] = given[member.name] ?? defaults[member.name] ?? member.type.empty
      }
    }
    try GraphRules.check(object, touching: given.names)
    return object
  }

  /// The members to set of an existing policy. A null sets the default.
  func patch(_ body: JSONObject) throws(GraphError) -> JSONObject {
    if let type = body["@odata.type"] { try checkType(type) }
    let patch = try checked(body, isPatch: true)
    if let name = patch["displayName"], name.isNull || name == "" {
      throw .mismatch("displayName", "a text that is not empty", name)
    }
    return patch
  }

  /// Throws for a type that the list does not have; without a type, the list says it.
  private func checkType(_ value: JSONValue?) throws(GraphError) {
    guard let value, !value.isNull else { return }
    let list = try PolicyList.named(byType: value)
    guard list == type.list else {
      throw .model(
        "An entry with type 'microsoft.management.services.api.\(list.typeName)' was found, but it is not assignable to the "
          + "expected type '\(type.errorName)'. Use the path /deviceAppManagement/\(list.rawValue).")
    }
  }

  private func checked(_ body: JSONObject, isPatch: Bool) throws(GraphError) -> JSONObject {
    let defaults = GraphDefaults.of(type.list)
    var checked: JSONObject = [:]
    for member in body.members where !member.name.isAnnotation {
      guard let known = type.member(member.name, isBeta: isBeta) else {
        throw .unknownMember(member.name, of: type.errorName, known: type.names(isBeta: isBeta))
      }
      switch known.type {
      case .readOnly: continue
      case .navigation:
        guard !isPatch else {
          throw .model(
            "Cannot apply PATCH to navigation property '\(member.name)' on entity type '\(type.errorName)'."
              + Self.way(to: member.name))
        }
      default:
        if member.value.isNull {
          if isPatch { checked[member.name] = defaults[member.name] ?? .null }
        } else {
          checked[member.name] = try known.type.checked(member.value, member.name)
        }
      }
    }
    return checked
  }

  private static func way(to name: String) -> String {
    switch name {
    case "apps": " Use the action targetApps."
    case "assignments": " Use the action assign."
    case "settings": " Use the action changeSettings."
    default: ""
    }
  }
}

extension PolicyList {
  /// Throws if `@odata.type` is not that of a list.
  static func named(byType value: JSONValue) throws(GraphError) -> PolicyList {
    let name = value.stringValue?.lastNamePart ?? ""
    guard let list = allCases.first(where: { $0.typeName == name }) else {
      guard !["managedAppPolicy", "managedAppProtection", "targetedManagedAppProtection"].contains(name) else {
        throw .abstractType("the policy", example: ios.typeName)
      }
      throw .unknownType(name, known: allCases.map(\.typeName))
    }
    return list
  }
}

extension String {
  /// What OData writes beside members, and what describes actions; ignored on write.
  var isAnnotation: Bool { contains("@odata.") || hasPrefix("#") }
}

extension GraphMemberType {
  /// What a member without a default has: `nil` for one that is not part of the object.
  fileprivate var empty: JSONValue? {
    switch self {
    case .readOnly, .navigation: nil
    default: .null
    }
  }

  /// The value in its normal form. Throws if a member of this type cannot have it.
  func checked(_ value: JSONValue, _ path: String) throws(GraphError) -> JSONValue {
    switch self {
    case .flag:
      guard value.boolValue != nil else { throw .mismatch(path, "true or false", value) }
      return value
    case .integer(let range):
      guard let number = value.integerValue, range.contains(number) else {
        throw .mismatch(path, "a whole number from \(range.lowerBound) to \(range.upperBound)", value)
      }
      return value
    case .duration:
      guard let duration = value.stringValue.flatMap({ ISODuration($0) }) else {
        throw .mismatch(
          path, "an ISO 8601 duration in days, hours, minutes and seconds, such as \"PT12H\" or \"P90D\"", value)
      }
      return .string(duration.description)
    case .text:
      guard value.stringValue != nil else { throw .mismatch(path, "a text", value) }
      return value
    case .version(let isDate): return try Self.version(value, path, isDate: isDate)
    case .word(let words): return .string(try Self.word(value, path, words))
    case .flags(let words, let mayBeList):
      let list = mayBeList ? value.strings : nil
      let joined = list.map { JSONValue.string($0.isEmpty ? words[0] : $0.joined(separator: ",")) }
      return try Self.flags(joined ?? value, path, words)
    case .words(let words):
      var found: [String] = []
      for element in try Self.elements(value, path, "a list of \(words.joined(separator: ", "))") {
        let word = try Self.word(element, path, words)
        if !found.contains(word) { found.append(word) }
      }
      return .array(found.map(JSONValue.string))
    case .texts:
      guard value.strings != nil else { throw .mismatch(path, "a list of texts", value) }
      return value
    case .pairs: return try Self.pairs(value, path)
    case .readOnly, .navigation: return value
    }
  }

  private static func elements(_ value: JSONValue, _ path: String, _ rule: String) throws(GraphError) -> [JSONValue] {
    guard let elements = value.arrayValue else { throw .mismatch(path, rule, value) }
    return elements
  }

  private static func word(_ value: JSONValue, _ path: String, _ words: [String]) throws(GraphError) -> String {
    guard let word = value.stringValue else {
      throw .mismatch(path, "one of " + words.joined(separator: ", "), value)
    }
    guard words.contains(word) else { throw .unknownWord(word, of: path, known: words) }
    return word
  }

  private static func flags(_ value: JSONValue, _ path: String, _ words: [String]) throws(GraphError) -> JSONValue {
    guard let text = value.stringValue else {
      throw .mismatch(path, "a text of words with commas in between: \(words.joined(separator: ", "))", value)
    }
    let parts = text.split(separator: ",", omittingEmptySubsequences: false).map(\.trimmedASCII)
    for part in parts { _ = try word(.string(part), path, words) }
    return .string(parts.joined(separator: ","))
  }

  private static func version(_ value: JSONValue, _ path: String, isDate: Bool) throws(GraphError) -> JSONValue {
    let rule = isDate ? "a date such as \"2026-01-05\"" : "a version such as \"16.4\""
    guard let text = value.stringValue, VersionNumber(text) != nil,
      isDate ? text.isPatchLevel : !text.contains("-")
    else { throw .mismatch(path, "\(rule), or null for none", value) }
    return value
  }

  private static func pairs(_ value: JSONValue, _ path: String) throws(GraphError) -> JSONValue {
    var pairs: [JSONValue] = []
    for element in try elements(value, path, "a list of objects with a name and a value") {
      guard let object = element.objectValue, let name = object["name"]?.stringValue, !name.isEmpty else {
        throw .mismatch(path, "a list of objects with a name and a value", element)
      }
      let known = ["name", "value"]
      if let other = object.names.first(where: { !$0.isAnnotation && !known.contains($0) }) {
        throw .unknownMember(other, of: "microsoft.management.services.api.keyValuePair", known: known)
      }
      let text = object["value"] ?? .null
      guard text.stringValue != nil || text.isNull else { throw .mismatch("\(path)/\(name)", "a text", text) }
      pairs.append(["name": .string(name), "value": text])
    }
    return .array(pairs)
  }
}

extension String {
  /// Whether this has the form of a date, such as `0000-00-00`.
  fileprivate var isPatchLevel: Bool {
    let parts = split(separator: "-", omittingEmptySubsequences: false).map(\.utf8.count)
    return parts == [4, 2, 2]
  }
}

/// Rules that several members must meet together, as Graph documents them.
enum GraphRules {
  private struct Rule {
    /// The first is what needs the others.
    let members: [String]
    let isMet: @Sendable (JSONObject) -> Bool
    let text: String
  }

  /// Throws if a policy breaks a rule about one of the members that were written. What was wrong before is let be.
  static func check(_ object: JSONObject, touching names: [String]) throws(GraphError) {
    let broken = rules.first { rule in rule.members.contains(where: names.contains) && !rule.isMet(object) }
    guard let broken else { return }
    throw .badRequest("Property \(broken.members[0]) in payload has a value that does not match schema. \(broken.text)")
  }

  private static let rules: [Rule] =
    [
      needs(
        "disableProtectionOfManagedOutboundOpenInData", "allowedOutboundDataTransferDestinations",
        .string("managedApps")),
      needs("protectInboundDataFromUnknownSources", "allowedInboundDataTransferSources", .string("allApps")),
    ]
    + ["customBrowserProtocol", "customBrowserPackageId", "customBrowserDisplayName"].map {
      needs($0, "managedBrowserToOpenLinksRequired", .bool(true))
    }

  private static func needs(_ name: String, _ other: String, _ value: JSONValue) -> Rule {
    Rule(
      members: [name, other],
      isMet: { object in
        let isUnset = [JSONValue.null, .bool(false), .string("")].contains(object[name] ?? .null)
        return isUnset || object[other] == value
      }, text: "It can be set only if \(other) is \(value.jsonText).")
  }
}

/// What tells one write from another: the id of a new policy, its version and its time.
struct GraphStamp: Sendable {
  let id: String
  let version: String
  private let time: Timestamp

  /// `list` is that of a new policy.
  init(_ list: PolicyList?, at time: Timestamp) {
    self.time = time
    id = (list?.idPrefix ?? "") + String.randomUUID
    // An entity tag with its quotes. Its last group is the time.
    let seconds = String(UInt32(clamping: time.milliseconds / 1000), radix: 16)
    let padded = String(repeating: "0", count: 8 - seconds.count) + seconds
    version = "\"" + String.randomUUID.prefix(24) + padded + "0000\""
  }

  /// A new object has more decimals than a changed one.
  var creation: String { String(time.description.dropLast()) + "0000Z" }
  var change: String { String(time.description.prefix(19)) + "Z" }
}
