import Cryptography
import JSON

/// What a source says about itself.
package struct SourceIntroduction: SourceRecord {
  package static let schemaName = "Introduction"
  /// The version of the protocol that is declared here.
  package static let declaredVersion: Int64 = 1

  package var name: String?
  package var protocolVersion: Int64
  package var authentication: SourceAuthentication?
  package var push: Bool?
  package var signIn: Bool?
  package var failures: Bool?
  package var development: Bool?

  package init(
    name: String?, protocolVersion: Int64 = Self.declaredVersion, authentication: SourceAuthentication?, push: Bool?,
    signIn: Bool?, failures: Bool?, development: Bool? = nil
  ) {
    (self.name, self.protocolVersion, self.authentication) = (name, protocolVersion, authentication)
    (self.push, self.signIn, self.failures, self.development) = (push, signIn, failures, development)
  }

  package static let name = Field(omitting: "name", \Self.name, "For the log.")
  package static let protocolVersion = Field("protocolVersion", \Self.protocolVersion, "")
  package static let authentication = Field("authentication", \Self.authentication, "")
  package static let push = Field(
    omitting: "push", \Self.push, "Whether the source sends source.didChange; see source.watch.")
  package static let signIn = Field(
    omitting: "signIn", \Self.signIn, "Whether the source answers source.acquireToken.")
  package static let failures = Field(
    omitting: "failures", \Self.failures, "Whether the source takes source.report with the outcome failed.")
  package static let development = Field(
    omitting: "development", \Self.development,
    "Whether the tenant is for development alone. Then only a state that is marked for it is served.")

  package static let fields = Fields(
    Self.init(name:protocolVersion:authentication:push:signIn:failures:development:), name, protocolVersion,
    authentication, push, signIn, failures, development)
}

/// Which tokens a source recognizes users by.
package struct SourceAuthentication: SourceRecord, Hashable {
  package static let schemaName = "Authentication"

  package var authority: String
  package var resource: String?
  package var scopes: [String]
  package var clientId: String?
  package var redirectUri: String?

  package init(
    authority: String, resource: String?, scopes: [String], clientId: String?, redirectUri: String? = nil
  ) {
    (self.authority, self.resource, self.scopes) = (authority, resource, scopes)
    (self.clientId, self.redirectUri) = (clientId, redirectUri)
  }

  package static let authority = Field("authority", \Self.authority, "The URL of the authority that gives tokens.")
  package static let resource = Field(omitting: "resource", \Self.resource, "What the tokens are for.")
  package static let scopes = Field("scopes", \Self.scopes, "")
  package static let clientId = Field(omitting: "clientId", \Self.clientId, "If the app's own does not apply.")

  package static let fields = Fields(
    Self.init(authority:resource:scopes:clientId:redirectUri:), authority, resource, scopes, clientId,
    Field(omitting: "redirectUri", \.redirectUri, "Not used yet."))
}

/// The token of a user.
package struct AcquiredToken: SourceRecord {
  package static let schemaName = "Token"

  package var accessToken: TokenText
  /// In RFC 3339.
  package var expires: String?

  package init(accessToken: TokenText, expires: String?) { (self.accessToken, self.expires) = (accessToken, expires) }

  package static let accessToken = Field(
    "accessToken", \Self.accessToken,
    "Kept in memory until five minutes before it expires, and sent with source.checkIn.")
  package static let expires = Field(
    omitting: "expires", \Self.expires, "In RFC 3339. If absent, the token serves one check-in.")

  package static let fields = Fields(Self.init(accessToken:expires:), accessToken, expires)
}

/// Identifies one enrollment of an account to a policy source. Its secret lets the source wipe an account that can no
/// longer sign in, and lets the app report that.
package struct SourceRegistration: SourceRecord, Equatable {
  package static let schemaName = "Registration"

  /// A UUID.
  package let id: String
  package let secret: SecretBytes

  package init(id: String, secret: SecretBytes) { (self.id, self.secret) = (id, secret) }

  package static let fields = Fields(
    Self.init(id:secret:),
    Field(
      "id", \.id, "A UUID that mambridge makes before its first request, and again when an account enrolls again."),
    Field(
      "secret", \.secret, "32 bytes in base64. Whoever knows it may be told of wipes, report, and leave."))
}

/// An account by its names.
package struct SourceAccount: SourceRecord, Hashable {
  package static let schemaName = "Account"

  /// The object id; `nil` until the source has said it.
  package var accountId: String?
  /// The user principal name.
  package var identity: String?

  package init(accountId: String?, identity: String?) { (self.accountId, self.identity) = (accountId, identity) }

  package static let accountId = Field(
    required: "accountId", \Self.accountId, "The object id; null until the source has said it.")
  package static let identity = Field(
    required: "identity", \Self.identity, "The user principal name, for display; it may change.")

  package static let fields = Fields(Self.init(accountId:identity:), accountId, identity)
}

/// The app that checks in.
package struct CheckInApp: SourceRecord {
  package static let schemaName = "App"

  package var id: String
  package var version: String?
  package var sdkVersion: String

  package init(id: String, version: String?, sdkVersion: String) {
    (self.id, self.version, self.sdkVersion) = (id, version, sdkVersion)
  }

  package static let fields = Fields(
    Self.init(id:version:sdkVersion:), Field("id", \.id, "The bundle or package id."),
    Field(required: "version", \.version, ""), Field("sdkVersion", \.sdkVersion, ""))
}

/// The device of a check-in.
package struct CheckInDevice: SourceRecord {
  package enum Platform: String, MessageWord { case ios, android, windows }

  package static let schemaName = "Device"

  package var tag: String
  package var name: String
  package var platform: Platform
  package var osVersion: String?
  package var manufacturer: String?
  package var model: String?
  package var jailbroken: Bool
  package var managementType: String?

  package init(
    tag: String, name: String, platform: Platform, osVersion: String?, manufacturer: String?, model: String?,
    jailbroken: Bool, managementType: String?
  ) {
    (self.tag, self.name, self.platform, self.osVersion) = (tag, name, platform, osVersion)
    (self.manufacturer, self.model, self.jailbroken) = (manufacturer, model, jailbroken)
    self.managementType = managementType
  }

  package static let tag = Field("tag", \Self.tag, "A UUID, the same for all apps of a state folder.")

  package static let fields = Fields(
    Self.init(tag:name:platform:osVersion:manufacturer:model:jailbroken:managementType:), tag,
    Field("name", \.name, "The name of the machine."), Field("platform", \.platform, ""),
    Field(required: "osVersion", \.osVersion, ""), Field(required: "manufacturer", \.manufacturer, ""),
    Field(required: "model", \.model, ""), Field("jailbroken", \.jailbroken, ""),
    Field(
      omitting: "managementType", \.managementType,
      "How the device is managed, for assignment filters; absent if not reported."))
}

/// A policy that an app applies.
package struct PolicyVersion: SourceRecord, Hashable {
  package static let schemaName = "Applied"

  package var id: String
  package var version: String?

  package init(id: String, version: String?) { (self.id, self.version) = (id, version) }

  package static let fields = Fields(
    Self.init(id:version:), Field("id", \.id, "The id of a policy in force."),
    Field(required: "version", \.version, ""))
}
