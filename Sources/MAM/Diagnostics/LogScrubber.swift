import Model

/// Takes out of a message what must not stand in the log.
struct LogScrubber: Sendable {
  private let pseudonyms: Pseudonyms
  private let values: [Redaction]

  /// Of `values`, empty ones are ignored and longer ones go first.
  init(pseudonyms: Pseudonyms, values: [String]) {
    self.pseudonyms = pseudonyms
    self.values = values.filter { !$0.isEmpty }.map { Redaction(of: $0, by: "***") }.longestFirst
  }

  /// In clear but for the values to scrub: for verbose lines.
  func clearText(of message: LogMessage) -> String {
    let text = message.parts.map { part in
      switch part {
      case .plain(let text): text
      case .personal(let value, _): value
      }
    }
    return values[...].applied(to: text.joined())
  }

  /// Without personal data: neither what is marked as such nor the identities that the core knows.
  func text(of message: LogMessage, identities: [String]) -> String {
    let redactions = values + identities.filter { !$0.isEmpty }.map(redaction).longestFirst
    return message.parts.map { part in
      switch part {
      case .plain(let text): redactions[...].applied(to: text)
      case .personal(let value, let label): name(for: value, label)
      }
    }.joined()
  }

  private func name(for value: String, _ label: String) -> String {
    values.contains { $0.covers(value) } ? "***" : pseudonyms.name(for: value, label: label)
  }

  private func redaction(of identity: String) -> Redaction {
    Redaction(identity: identity, pseudonym: pseudonyms.name(for: identity))
  }
}

extension [Redaction] {
  fileprivate var longestFirst: [Redaction] { sorted { $0.length > $1.length } }
}
