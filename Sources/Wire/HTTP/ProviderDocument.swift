import JSON

/// What an identity provider publishes about itself (OpenID Connect Discovery 1.0).
package struct ProviderDocument: Sendable {
  package let issuer: String
  package let members: JSONObject

  private static let largestBody = 256 << 10
  private static let longestShown = 200

  /// Fetches the document of an issuer. `issuer` is an https URL, or an http URL of this machine; the document must have
  /// the same issuer.
  package static func fetch(
    of issuer: String, over client: some HTTPClient, patience: Duration
  ) async throws(ProviderFailure) -> ProviderDocument {
    guard WebURL(issuer)?.isSafe == true else {
      let shown = issuer.shown(atMost: longestShown)
      throw ProviderFailure("The issuer \(shown) is not an https URL. Give the URL of the identity provider.")
    }
    let url = url(of: issuer)
    let object = try await client.providerObject(at: url, patience: patience, largestBody: largestBody)
    let named = object["issuer"]?.stringValue
    guard named == issuer else {
      throw ProviderFailure(
        "The identity provider at \(url) says that its issuer is \(named?.shown(atMost: longestShown) ?? "unknown"), "
          + "not \(issuer). Give the issuer exactly as the provider writes it.")
    }
    return ProviderDocument(issuer: issuer, members: object)
  }

  /// The URL of the document of an issuer.
  package static func url(of issuer: String) -> String {
    (issuer.hasSuffix("/") ? String(issuer.dropLast()) : issuer) + "/.well-known/openid-configuration"
  }

  /// The URL of an endpoint, such as `jwks_uri`; https, or http on this machine.
  package func endpoint(_ name: String) throws(ProviderFailure) -> String {
    guard let url = members[name]?.stringValue else {
      throw ProviderFailure("The identity provider \(issuer) names no \(name).")
    }
    guard WebURL(url)?.isSafe == true else {
      let shown = url.shown(atMost: Self.longestShown)
      throw ProviderFailure("The identity provider \(issuer) names a \(name) that is not an https URL: \(shown).")
    }
    return url
  }
}

/// Why an identity provider does not say what it should: a sentence for a log or a user.
package struct ProviderFailure: Error, Hashable, Sendable {
  package let text: String

  package init(_ text: String) { self.text = text }
}

extension HTTPClient {
  /// Fetches a JSON object that an identity provider publishes.
  package func providerObject(
    at url: String, patience: Duration, largestBody: Int
  ) async throws(ProviderFailure) -> JSONObject {
    let response: HTTPResponse
    do throws(HTTPFailure) {
      let request = HTTPRequest("GET", url, headers: HTTPHeaders(["Accept": "application/json"]))
      response = try await send(request, patience: patience, largestBody: largestBody)
    } catch {
      throw ProviderFailure("Cannot ask the identity provider at \(url): \(error.text)")
    }
    guard response.status == 200 else {
      throw ProviderFailure("The identity provider answers \(url) with status \(response.status).")
    }
    guard !response.isWebPage else {
      throw ProviderFailure("The identity provider: " + HTTPResponse.webPageText(from: url, status: response.status))
    }
    guard let object = (try? JSONValue(parsing: response.body))?.objectValue else {
      throw ProviderFailure("The identity provider answers \(url) with something other than a JSON object.")
    }
    return object
  }
}
