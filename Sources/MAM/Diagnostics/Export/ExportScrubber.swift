import JSON
import Model

/// Takes out of texts what must not leave the machine: names that are known, and what looks like a secret, an address,
/// an id or a path, whoever wrote it. The same text gets the same pseudonym as in the log.
struct ExportScrubber: Sendable {
  private let scrubber: LogScrubber
  private let names: [String]
  private let secrets: SecretPatterns
  private let pseudonyms: Pseudonyms

  /// `identifiers` look like ids of persons and are none.
  init(scrubber: LogScrubber, names: [String], pseudonyms: Pseudonyms, keeping identifiers: Set<String>) {
    self.scrubber = scrubber
    self.names = names
    self.pseudonyms = pseudonyms
    secrets = SecretPatterns(pseudonyms: pseudonyms, identifiers: identifiers)
  }

  func text(_ text: String) -> String {
    secrets.scrubbed(scrubber.text(of: LogMessage(plain: text), identities: names))
  }

  /// All strings in it, names of members included; what a member's own name calls a secret goes whatever it is.
  func value(_ value: JSONValue) -> JSONValue {
    switch value {
    case .string(let text): .string(self.text(text))
    case .array(let elements): .array(elements.map(self.value))
    case .object(let object): .object(JSONObject(object.members.map(member)))
    default: value
    }
  }

  /// A pseudonym that tells equal values, and nothing of them.
  func hidden(_ value: JSONValue) -> JSONValue {
    .string(pseudonyms.name(for: value.stringValue ?? value.jsonText, label: "value"))
  }

  private func member(_ member: JSONObject.Member) -> (String, JSONValue) {
    let isSecret = SecretPatterns.isLabel(member.name.utf8) && member.value.stringValue != nil
    return (text(member.name), isSecret ? .string("***") : value(member.value))
  }
}
