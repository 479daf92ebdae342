import HTTP

/// Where a server listens: `https://ADDRESS:PORT`, or `http://ADDRESS:PORT` on loopback.
package struct ServerAddress: Hashable, Sendable, CustomStringConvertible {
  package let origin: HTTPOrigin

  /// Port 0 picks a free port. Throws if the text is something else, or asks for http on another than a loopback address.
  package init(_ text: String) throws(NetworkError) {
    let path = text.split(separator: "/", omittingEmptySubsequences: true)
    guard let origin = HTTPOrigin(text), path.count == 2, !text.contains("?"), !text.contains("#") else {
      throw NetworkError(
        .configuration, "\"\(text)\" is not an address to listen on. Use https://ADDRESS:PORT, for example https://[::]:443.")
    }
    guard origin.isAddress || origin.host == "localhost" else {
      throw NetworkError(
        .configuration, "Cannot listen on the name \(origin.host). Use a numeric address, for example https://0.0.0.0:443.")
    }
    guard origin.scheme == .https || origin.isLoopback else {
      throw NetworkError(
        .configuration,
        "Plain http is allowed only on loopback addresses. Use https://\(origin.host):\(origin.port) and a certificate.")
    }
    self.origin = origin
  }

  package init(_ origin: HTTPOrigin) { self.origin = origin }

  package var usesTLS: Bool { origin.scheme == .https }

  /// The host as the system's resolver takes it.
  package var host: String { origin.host }
  package var port: Int { origin.port }

  /// The same address with the port that the system picked.
  func with(port: Int?) -> ServerAddress {
    ServerAddress(HTTPOrigin(scheme: origin.scheme, host: origin.host, port: port ?? origin.port))
  }

  package var description: String { origin.description }
}
