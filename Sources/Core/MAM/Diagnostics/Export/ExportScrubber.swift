import JSON
import Model
import Support

/// Removes from texts what must not leave the machine: known names, and whatever looks like a secret, an address, an id
/// or a path, whoever wrote it. Equal texts get equal pseudonyms, the same as in the log.
struct ExportScrubber: Sendable {
  private let scrubber: LogScrubber
  private let names: KnownNames
  private let secrets: SecretPatterns
  private let pseudonyms: Pseudonyms

  /// `identifiers` look like the ids of people but are not.
  init(scrubber: LogScrubber, names: KnownNames, pseudonyms: Pseudonyms, keeping identifiers: Set<String>) {
    self.scrubber = scrubber
    self.names = names
    self.pseudonyms = pseudonyms
    secrets = SecretPatterns(pseudonyms: pseudonyms, identifiers: identifiers)
  }

  func text(_ text: String, isVersion: Bool = false) -> String {
    secrets.scrubbed(scrubber.text(of: LogMessage(plain: text), names: names), isVersion: isVersion)
  }

  /// Scrubs all strings, including the names of members. If a member's name announces a secret, its value is hidden
  /// completely. A single word such as `block` is taken for a person's name only in a place for names.
  func value(_ value: JSONValue, isVersion: Bool = false) -> JSONValue {
    switch value {
    case .string(let text):
      .string(
        text.isWord ? secrets.scrubbed(text, isVersion: isVersion) : self.text(text, isVersion: isVersion))
    case .array(let elements): .array(elements.map { self.value($0, isVersion: isVersion) })
    case .object(let object): .object(JSONObject(object.members.map { member($0, isVersion: isVersion) }))
    default: value
    }
  }

  /// A pseudonym that shows only which values are equal, or `***` for a key that ValuesToScrubFromLogging names.
  func hidden(_ value: JSONValue, of key: String = "") -> JSONValue {
    if scrubber.values.contains(key) { return .string(NamedValues.replacement) }
    return .string(pseudonyms.name(for: value.stringValue ?? value.jsonText, label: "value"))
  }

  /// Keeps plain names. In other categories a dash may replace a sign by which a secret would be found, so these are
  /// hidden completely.
  func category(_ name: String) -> String {
    let isPlain = name.utf8.allSatisfy { $0.isLetter || $0 == UInt8(ascii: ".") || $0 == UInt8(ascii: "_") }
    return isPlain ? text(name) : pseudonyms.name(for: name, label: "category")
  }

  private static let personMembers: Set = ["identity", "accountId", "process", "threads", "windows"]

  private func member(_ member: JSONObject.Member, isVersion: Bool) -> (String, JSONValue) {
    if Self.personMembers.contains(member.name) { return (member.name, person(member.value)) }
    if member.name == "category", let name = member.value.stringValue { return (member.name, .string(category(name))) }
    let isSecret = SecretWords.isSecret(name: member.name) && member.value.stringValue != nil
    let isVersion = isVersion || member.name.lowercasedASCII.includes("version")
    return (text(member.name), isSecret ? .string("***") : value(member.value, isVersion: isVersion))
  }

  private func person(_ value: JSONValue) -> JSONValue {
    switch value {
    case .string(let name): .string(pseudonyms.name(for: name))
    case .object(let object): .object(JSONObject(object.members.map { (text($0.name), person($0.value)) }))
    default: value
    }
  }
}

extension String {
  fileprivate var isWord: Bool {
    utf8.allSatisfy { byte in
      byte.isAlphanumeric
    }
  }
}
