/// Sends requests over a network.
package protocol HTTPClient: Sendable {
  /// Sends one request, without following redirects. `patience` is the time for everything, from the name of the host to
  /// the last byte of the body. A body of more than `largestBody` bytes is a failure.
  func send(
    _ request: HTTPRequest, patience: Duration, largestBody: Int
  ) async throws(HTTPFailure) -> HTTPResponse
}

/// Why there is no response.
package struct HTTPFailure: Error, Hashable, Sendable {
  package enum Kind: Hashable, Sendable {
    /// The URL cannot be used.
    case badURL
    /// The name of the host is unknown, or nothing listens there.
    case cannotConnect
    /// The server cannot prove who it is, or the client cannot.
    case notTrusted
    case late
    /// The connection ended before the response did.
    case cutOff
    case tooLarge
    case cancelled
  }

  package let kind: Kind
  /// A sentence that names the cause, for a log or a user. Holds no header and no body.
  package let text: String

  package init(_ kind: Kind, _ text: String) {
    self.kind = kind
    self.text = text
  }
}
