import HTTP

/// How an identity provider for development says that it is one. Its tokens prove nothing about a person, so no service
/// but its own takes them.
package enum DevelopmentMark {
  /// In the discovery document, and in each token.
  package static let member = "mambridge_development"
  /// At the start of the name of each key.
  package static let keyPrefix = "development-"

  static func refusal(of issuer: String) -> ProviderFailure {
    ProviderFailure(
      "The issuer \(issuer) is a development tenant (mambridge-tenant dev), whose tokens prove nothing. Give the issuer of "
        + "a real identity provider.")
  }
}
