import HTTP

/// Where a sign-in may lead back to: only to this machine. `http://localhost` at any port is always registered, as for
/// native apps in Entra.
package struct RegisteredRedirects: Sendable {
  private let exact: Set<String>
  /// The origins of the exact addresses, whose pages may read answers.
  let origins: Set<String>

  /// Throws for an address that is not on this machine. Those that are named here count as written, with their port and
  /// path.
  package init(_ addresses: [String] = []) throws(UnusableRedirect) {
    var origins: Set<String> = []
    for address in addresses {
      guard let url = WebURL(address), url.isLoopback, !address.contains("#") else {
        throw UnusableRedirect(address: address)
      }
      origins.insert(url.origin)
    }
    (exact, self.origins) = (Set(addresses), origins)
  }

  func contains(_ address: String) -> Bool {
    if exact.contains(address) { return true }
    guard let url = WebURL(address), url.scheme == "http", url.isLoopback, !address.contains("#") else { return false }
    return url.target.isEmpty || url.target == "/"
  }
}

package struct UnusableRedirect: Error, CustomStringConvertible {
  let address: String

  package var description: String {
    "\"\(address.shown(atMost: 200))\" must be an address of this machine, such as http://localhost:3000/signed-in, without a #"
  }
}
