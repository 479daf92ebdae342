import JSON

/// The requests that mambridge sends to a source.
package enum ToSource {
  package static let all: [any SourceMethod.Type] = [
    Open.self, CheckIn.self, Report.self, Watch.self, AcquireToken.self, Leave.self,
  ]

  package enum Open: SourceMethod {
    package static let name = "source.open"
    package static let summary = "Begin the conversation. Always the first request."

    package struct Params: SourceRecord {
      package var protocolVersion: Int64
      package var locale: String

      package init(protocolVersion: Int64 = SourceIntroduction.declaredVersion, locale: String) {
        (self.protocolVersion, self.locale) = (protocolVersion, locale)
      }

      package static let fields = Fields(
        Self.init(protocolVersion:locale:), Field("protocolVersion", \.protocolVersion, ""),
        Field("locale", \.locale, "The user's language, in BCP 47."))
    }

    package typealias Result = SourceIntroduction
  }

  package enum CheckIn: SourceMethod {
    package static let name = "source.checkIn"
    package static let summary = "Deliver what applies to an account in this app."

    package enum Reason: String, MessageWord { case enroll, checkIn }

    package struct Params: SourceRecord {
      package var reason: Reason
      package var registration: SourceRegistration
      package var account: SourceAccount
      package var app: CheckInApp
      package var device: CheckInDevice
      package var etag: String?
      package var applied: [PolicyVersion]
      package var health: AnyList
      package var token: TokenText?

      package init(
        reason: Reason, registration: SourceRegistration, account: SourceAccount, app: CheckInApp,
        device: CheckInDevice, etag: String?, applied: [PolicyVersion], health: AnyList = AnyList(), token: TokenText?
      ) {
        (self.reason, self.registration, self.account, self.app) = (reason, registration, account, app)
        (self.device, self.etag, self.applied, self.health) = (device, etag, applied, health)
        self.token = token
      }

      package static let registration = Field("registration", \Self.registration, "")
      package static let account = Field("account", \Self.account, "")
      package static let device = Field("device", \Self.device, "")
      package static let token = Field(omitting: "token", \Self.token, "The user's token. Absent if there is none.")

      package static let fields = Fields(
        Self.init(reason:registration:account:app:device:etag:applied:health:token:),
        Field("reason", \.reason, "checkIn for an enrolled account."), registration, account, Field("app", \.app, ""),
        device, Field(required: "etag", \.etag, "What the last answer had; null for everything."),
        Field("applied", \.applied, ""), Field("health", \.health, ""), token)
    }

    package typealias Result = SourceAnswer
  }

  package enum Report: SourceMethod {
    package static let name = "source.report"
    package static let summary = """
      Note that an operation is carried out. Sent until it is accepted. A source that returned failures from source.open \
      also gets each attempt that failed, once; mambridge then tries the operation again.
      """

    package enum Outcome: String, MessageWord { case done, failed }

    package struct Params: SourceRecord {
      package var registration: SourceRegistration
      package var operation: String
      package var outcome: Outcome
      package var time: String
      package var reason: String?

      package init(
        registration: SourceRegistration, operation: String, outcome: Outcome, time: String, reason: String?
      ) {
        (self.registration, self.operation, self.outcome) = (registration, operation, outcome)
        (self.time, self.reason) = (time, reason)
      }

      package static let registration = Field("registration", \Self.registration, "")
      package static let operation = Field("operation", \Self.operation, "The id of the operation.")
      package static let outcome = Field("outcome", \Self.outcome, "")

      package static let fields = Fields(
        Self.init(registration:operation:outcome:time:reason:), registration, operation, outcome,
        Field("time", \.time, "When, in RFC 3339."),
        Field(omitting: "reason", \.reason, "With failed: why, without names of files and users."))
    }

    package typealias Result = Nothing
  }

  package enum Watch: SourceMethod {
    package static let name = "source.watch"
    package static let summary = """
      Send source.didChange when something changes for these registrations, until the next source.watch. Sent only to a \
      source that can push, by one process of an app on a state folder, after source.open and whenever the list changes.
      """

    package struct Params: SourceRecord {
      package var registrations: [SourceRegistration]

      package init(registrations: [SourceRegistration]) { self.registrations = registrations }

      package static let fields = Fields(
        Self.init(registrations:), Field("registrations", \.registrations, ""))
    }

    package typealias Result = Nothing
  }

  package enum AcquireToken: SourceMethod {
    package static let name = "source.acquireToken"
    package static let summary = """
      Get a token for an account. Sent only to a source that can sign in, if neither a host nor the token command gives \
      tokens: silently first, and then with the user if a person waits for the call.
      """

    package struct Params: SourceRecord {
      package var account: SourceAccount
      package var silent: Bool
      package var claims: String?

      package init(account: SourceAccount, silent: Bool, claims: String?) {
        (self.account, self.silent, self.claims) = (account, silent, claims)
      }

      package static let fields = Fields(
        Self.init(account:silent:claims:), Field("account", \.account, ""),
        Field(
          "silent", \.silent, "Whether the user must not be asked: answer with error -32050 if a user must sign in."),
        Field(
          omitting: "claims", \.claims,
          "The data.claims of the refusal of the last token. Absent if there are none."))
    }

    package typealias Result = AcquiredToken
  }

  package enum Leave: SourceMethod {
    package static let name = "source.leave"
    package static let summary =
      "Forget a registration: the account is no longer enrolled. Sent until it is accepted."

    package struct Params: SourceRecord {
      package var registration: SourceRegistration

      package init(registration: SourceRegistration) { self.registration = registration }

      package static let fields = Fields(Self.init(registration:), Field("registration", \.registration, ""))
    }

    package typealias Result = Nothing
  }
}
