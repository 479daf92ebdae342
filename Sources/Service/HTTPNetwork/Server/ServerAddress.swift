import HTTP

/// Where a server listens: `https://ADDRESS:PORT`, or `http://ADDRESS:PORT` on loopback.
package struct ServerAddress: Hashable, Sendable, CustomStringConvertible {
  private let url: WebURL
  /// 0 for a free port, which the system picks.
  package let port: Int

  /// Throws for other text, and for http on another than a loopback address.
  package init(_ text: String) throws(NetworkError) {
    guard let colon = text.lastIndex(of: ":"), let port = UInt16(text[text.index(after: colon)...]),
      let url = WebURL(String(text[..<colon])), url.target.isEmpty
    else {
      throw NetworkError(
        .configuration,
        "\"\(text)\" is not an address to listen on. Use https://ADDRESS:PORT, for example https://[::]:443.")
    }
    guard url.isAddress || url.host == "localhost" else {
      throw NetworkError(
        .configuration,
        "Cannot listen on the name \(url.host). Use a numeric address, for example https://0.0.0.0:443.")
    }
    guard url.scheme == "https" || url.isLoopback else {
      throw NetworkError(
        .configuration,
        "Plain http is allowed only on loopback addresses. Use https://\(url.host):\(port) and a certificate.")
    }
    (self.url, self.port) = (url, Int(port))
  }

  private init(_ url: WebURL, port: Int) { (self.url, self.port) = (url, port) }

  package var usesTLS: Bool { url.scheme == "https" }
  package var isLoopback: Bool { url.isLoopback }

  /// As the system takes it.
  var host: String { url.bareHost }

  /// The same address with the port that the system picked.
  func with(port: Int?) -> ServerAddress { ServerAddress(url, port: port ?? self.port) }

  package var description: String { "\(url.scheme)://\(url.host):\(port)" }
}
