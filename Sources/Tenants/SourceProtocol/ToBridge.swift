import JSON

/// What a source sends to mambridge without being asked.
package enum ToBridge {
  package static let all: [any SourceMessage.Type] = [Prompt.self, DidChange.self]

  package enum Prompt: SourceMethod {
    package static let name = "source.prompt"
    package static let summary = """
      Ask the user to sign in on a page. Sent only while source.acquireToken runs with silent false. Answered at once.
      """

    package struct Params: SourceRecord {
      package var verificationUri: String
      package var userCode: String?
      package var message: String?
      /// In RFC 3339.
      package var expires: String?

      package init(verificationUri: String, userCode: String?, message: String?, expires: String?) {
        (self.verificationUri, self.userCode) = (verificationUri, userCode)
        (self.message, self.expires) = (message, expires)
      }

      package static let verificationUri = Field(
        "verificationUri", \Self.verificationUri, "The page, http or https.")
      package static let userCode = Field(omitting: "userCode", \Self.userCode, "The code to enter there.")
      package static let message = Field(
        omitting: "message", \Self.message, "For the user, in the user's language.")
      package static let expires = Field(
        omitting: "expires", \Self.expires,
        "When the code expires, in RFC 3339. 15 minutes from now if absent; an hour at most.")

      package static let fields = Fields(
        Self.init(verificationUri:userCode:message:expires:), verificationUri, userCode, message, expires)
    }

    package typealias Result = Nothing
  }

  package enum DidChange: SourceMessage {
    package static let name = "source.didChange"
    package static let summary = "A notification: let an account check in, or all accounts."

    package struct Params: SourceRecord {
      package var account: SourceAccount?
      package var spread: Double?

      package init(account: SourceAccount?, spread: Double?) { (self.account, self.spread) = (account, spread) }

      package static let account = Field(omitting: "account", orNull: true, \Self.account, "")
      package static let spread = Field(
        omitting: "spread", \Self.spread, "Check in within so many seconds; 0 for at once.")

      package static let fields = Fields(Self.init(account:spread:), account, spread)
    }
  }
}
