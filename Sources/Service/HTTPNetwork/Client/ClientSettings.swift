import HTTP

/// How a client reaches servers: what it trusts, and through which proxy.
package struct ClientSettings: Hashable, Sendable {
  /// A file with the certificates of the only authorities to trust, in PEM; `nil` for those of the system.
  package var trustedFile: String?
  /// `nil` for direct connections.
  package var proxy: ProxyAddress?
  /// Hosts that are reached directly, even if there is a proxy.
  package var direct = DirectHosts("")

  package init() {}

  /// Options come first, then the variables that curl and OpenSSL know: SSL_CERT_FILE, HTTPS_PROXY and NO_PROXY. The
  /// names of the last two may be in lower case. Throws if an address of a proxy cannot be used.
  package init(
    trustedFile: String?, proxy: String?, environment: (String) -> String?
  ) throws(NetworkError) {
    self.trustedFile = trustedFile ?? environment("SSL_CERT_FILE")
    if let proxy {
      self.proxy = try ProxyAddress(proxy, from: "--proxy")
      return
    }
    for name in ["HTTPS_PROXY", "https_proxy"] {
      guard let value = environment(name) else { continue }
      self.proxy = try ProxyAddress(value, from: name)
      direct = DirectHosts(environment("NO_PROXY") ?? environment("no_proxy") ?? "")
      return
    }
  }

  func usesProxy(for url: WebURL) -> Bool { proxy != nil && !url.isLoopback && !direct.contains(url) }
}

/// The address of an HTTP proxy, with or without a user.
package struct ProxyAddress: Hashable, Sendable {
  package let host: String
  package let port: Int
  package let user: String?
  package let password: String?

  /// `source` names the option or variable in errors, which never show the text: it may hold a password.
  package init(_ text: String, from source: String) throws(NetworkError) {
    let full = text.contains("://") ? text : "http://" + text
    let slashes = full.firstRange(of: "://")?.upperBound ?? full.startIndex
    let authority = full[slashes...].prefix { $0 != "/" }
    let at = authority.lastIndex(of: "@")
    let place = at.map { authority[authority.index(after: $0)...] } ?? authority
    guard full.lowercased().hasPrefix("http://"), let url = WebURL("http://" + place) else {
      throw NetworkError(
        .configuration,
        "\(source) is not the address of an HTTP proxy. Use http://HOST:PORT, or http://USER:PASSWORD@HOST:PORT.")
    }
    (host, port) = (url.bareHost, url.port)
    let login = at.map { authority[..<$0].split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false) }
    user = login.flatMap { $0.first.map { HTTPTarget.decoded($0) } }
    password = login.map { $0.count > 1 ? HTTPTarget.decoded($0[1]) : "" }
  }
}

/// The hosts of NO_PROXY: names and domains, addresses, or `*`, separated by commas.
package struct DirectHosts: Hashable, Sendable {
  private let entries: [(host: String, port: Int?)]

  package init(_ text: String) {
    entries = text.split { $0 == "," || $0 == " " }.map { entry in
      let parts = entry.split(separator: ":")
      let hasPort = parts.count == 2 && Int(parts[1]) != nil
      var host = (hasPort ? String(parts[0]) : String(entry)).lowercased()
      if host.hasPrefix("*.") { host.removeFirst(2) }
      if host.hasPrefix(".") { host.removeFirst() }
      return (host.filter { $0 != "[" && $0 != "]" }, hasPort ? Int(parts[1]) : nil)
    }
  }

  /// A domain covers the names below it, too.
  func contains(_ url: WebURL) -> Bool {
    let name = url.bareHost
    return entries.contains { host, port in
      (host == "*" || name == host || name.hasSuffix("." + host)) && (port ?? url.port) == url.port
    }
  }

  package static func == (left: DirectHosts, right: DirectHosts) -> Bool {
    left.entries.elementsEqual(right.entries) { $0 == $1 }
  }

  package func hash(into hasher: inout Hasher) {
    for entry in entries { hasher.combine(entry.host) }
  }
}

extension HTTPTarget {
  /// The text without percent encoding; the text itself if the encoding is broken.
  fileprivate static func decoded(_ text: Substring) -> String {
    HTTPTarget("/" + text).flatMap { $0.path.count == 1 ? $0.path[0] : nil } ?? String(text)
  }
}
