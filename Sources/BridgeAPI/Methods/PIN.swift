import JSON
import Model
import Support

/// Whose PIN is meant.
package struct PINParams: Targeted {
  package var account: AccountReference?

  package init(account: AccountReference? = nil) {
    self.account = account
  }

  package static let fields = Fields(Self.init(account:), Field("account", \.account, pinAccountSummary))
  package var target: PolicyTarget { PolicyTarget(account: account) }
}

private let pinAccountSummary = "The account; without it the effective identity."

package enum GetPINStatus: Method {
  package static let name = "pin.status"
  package static let summary = "How does the PIN of an account stand?"
  package static let details = """
    A user has one PIN for all apps of a publisher, which is named by the first two labels of --app-id. A wipe leaves it \
    as it is.
    """
  package typealias Params = PINParams
  package typealias Result = PINStatus
  package static let resultSummary = "Whether one is required and set, and for how long it holds."
  package static let errors: [APIError] = .store
  package static let example = Example(
    Params(account: "alice@contoso.example"),
    PINStatus(
      required: true, isSet: true, retriesLeft: 5, expires: Timestamp("2026-02-02T03:40:00Z")))
}

package enum SetPIN: Method {
  package static let name = "pin.set"
  package static let summary = "Sets the first PIN of a user."
  package static let details = """
    By the rules of the account's policy: length, characters, simple sequences, and the PINs before a forgotten one. It \
    counts as entered. Takes some 100 ms. Neither kept nor logged. Commit point: before the PIN is stretched.
    """
  package struct Params: Targeted {
    package var pin: SecretString
    package var account: AccountReference?
    package static let fields = Fields(
      Self.init(pin:account:), Field(required: "pin", \.pin, "The new PIN."),
      Field("account", \.account, pinAccountSummary))
    package var target: PolicyTarget { PolicyTarget(account: account) }
  }
  package typealias Result = Nothing
  package static let resultSummary = "Null."
  package static let errors: [APIError] = [.pinNotRequired, .pinAlreadySet, .pinNotAllowed] + .keys + .store
  package static let example = Example(Params(pin: "2580", account: "alice@contoso.example"), Nothing())
}

package enum ChangePIN: Method {
  package static let name = "pin.change"
  package static let summary = "Replaces the PIN of a user who knows it."
  package static let details = """
    A wrong former PIN is counted, also when the process ends meanwhile; after too many the policy wants a sign-in, or \
    the account's data is wiped before the answer. A right one counts as entered, even where the new one is refused. \
    Neither kept nor logged. Commit point: before the former PIN is looked at.
    """
  package struct Params: Targeted {
    package var pin: SecretString
    package var newPin: SecretString
    package var account: AccountReference?
    package static let fields = Fields(
      Self.init(pin:newPin:account:), Field(required: "pin", \.pin, "The PIN up to now."),
      Field(required: "newPin", \.newPin, "The new one."), Field("account", \.account, pinAccountSummary))
    package var target: PolicyTarget { PolicyTarget(account: account) }
  }
  package typealias Result = Nothing
  package static let resultSummary = "Null."
  package static let errors: [APIError] =
    [.pinNotRequired, .pinNotSet, .wrongPIN, .pinNotAllowed, .pinRetriesExceeded] + .keys + .store
  package static let example = Example(
    Params(pin: "2580", newPin: "8520", account: "alice@contoso.example"), Nothing())
}

package enum ResetPIN: Method {
  package static let name = "pin.reset"
  package static let summary = "Forgets the PIN of a user who has signed in instead."
  package static let details = """
    Also after too many wrong PINs, unless the policy then wipes. Any token that is not empty proves the sign-in: a \
    policy source of files has nobody who could check it. The user then has no PIN; the next one is chosen by pin.set or \
    a challenge, and may not be one of those that the policy remembers. Commit point: the store's transaction.
    """
  package struct Params: Targeted {
    package var accessToken: SecretString
    package var account: AccountReference?
    package static let fields = Fields(
      Self.init(accessToken:account:),
      Field(required: "accessToken", \.accessToken, "What the user's sign-in has brought; neither kept nor logged."),
      Field("account", \.account, pinAccountSummary))
    package var target: PolicyTarget { PolicyTarget(account: account) }
  }
  package typealias Result = Nothing
  package static let resultSummary = "Null."
  package static let errors: [APIError] =
    [.pinNotRequired, .pinNotSet, .pinRetriesExceeded, .tokenRefused] + .keys + .store
  package static let example = Example(Params(accessToken: "eyJ0eXAi", account: "alice@contoso.example"), Nothing())
}
