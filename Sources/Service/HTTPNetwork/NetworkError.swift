/// A setting of the network that cannot be used, such as a certificate or an address.
package struct NetworkError: Error, Hashable, CustomStringConvertible, Sendable {
  package enum Kind: Hashable, Sendable {
    /// A setting is wrong.
    case configuration
    /// The address cannot be listened on.
    case cannotListen
    /// The server ended for another reason than a signal.
    case ended
  }

  package let kind: Kind
  /// A sentence with the way out.
  package let description: String

  package init(_ kind: Kind, _ description: String) {
    self.kind = kind
    self.description = description
  }
}
