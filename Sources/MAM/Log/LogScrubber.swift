import Model

/// Removes from a message what must not be in the log.
struct LogScrubber: Sendable {
  private let pseudonyms: Pseudonyms
  let values: NamedValues

  /// - Parameter keys: The keys whose values are replaced, as `ValuesToScrubFromLogging` lists them.
  init(pseudonyms: Pseudonyms, keys: [String]) {
    self.pseudonyms = pseudonyms
    values = NamedValues(keys)
  }

  /// The text for verbose lines: everything except the values of the keys.
  func clearText(of message: LogMessage) -> String {
    let text = message.parts.map { part in
      switch part {
      case .plain(let text): text
      case .personal(let value, _): value
      }
    }
    return values.hidden(in: text.joined())
  }

  /// The text without personal data: without marked parts, and without identities that the core knows. Values are
  /// searched for before names change the text around them, and again after the parts are joined.
  func text(of message: LogMessage, identities: [String]) -> String {
    let redactions = identities.filter { !$0.isEmpty }.map(redaction).longestFirst
    let parts = message.parts.map { part in
      switch part {
      case .plain(let text): redactions[...].applied(to: values.hidden(in: text))
      case .personal(let value, let label): pseudonyms.name(for: value, label: label)
      }
    }
    return values.hidden(in: parts.joined())
  }

  private func redaction(of identity: String) -> Redaction {
    Redaction(identity: identity, pseudonym: pseudonyms.name(for: identity))
  }
}

extension [Redaction] {
  fileprivate var longestFirst: [Redaction] { sorted { $0.length > $1.length } }
}
