import JSON
import MAM
import Model
import Support

enum GetPINStatus: WorkMethod {
  static let name = "pin.status"
  static let summary = "How does the PIN of an account stand?"
  static let details = """
    A user has one PIN for all apps of a publisher, which is named by the first two labels of --app-id. A wipe leaves \
    it as it is.
    """
  typealias Params = PINParams
  typealias Result = PINStatus
  static let resultSummary = "Whether one is required and set, and for how long it holds."
  static let example = Example(
    Params(account: "alice@contoso.example"),
    PINStatus(
      required: true, isSet: true, retriesLeft: 5, expires: Timestamp("2026-02-02T03:40:00Z")))

  static func queue(_ params: Params) -> String? { Queue.pin }

  static func answer(_ asked: Asked<Params>, on connection: BridgeConnection) throws(MAMError) -> PINStatus {
    try connection.core.pins.status(of: asked.account)
  }
}

enum SetPIN: WorkMethod {
  static let name = "pin.set"
  static let summary = "Sets the first PIN of a user."
  static let details = """
    By the rules of the account's policy: length, characters, simple sequences, and the PINs before a forgotten one. \
    It counts as entered. Takes some 100 ms. Neither kept nor logged. Commit point: before the PIN is stretched.
    """
  struct Params: AccountTargeted {
    var pin: SecretString
    var account: AccountReference?
    static let fields = Fields(
      Self.init, Field(required: "pin", \.pin, "The new PIN."),
      Field("account", \.account, pinAccountSummary))
  }
  typealias Result = Nothing
  static let resultSummary = "Null."
  static let errors: [ErrorCode] = [.pinNotRequired, .pinAlreadySet, .pinNotAllowed] + .keys
  static let example = Example(Params(pin: "2580", account: "alice@contoso.example"), Nothing())

  static func queue(_ params: Params) -> String? { Queue.pin }

  static func answer(_ asked: Asked<Params>, on connection: BridgeConnection) throws(MAMError) -> Nothing {
    try connection.core.pins.set(try HostSecret(orThrow: asked.params.pin), of: asked.account)
    return Nothing()
  }
}

enum ChangePIN: WorkMethod {
  static let name = "pin.change"
  static let summary = "Replaces the PIN of a user who knows it."
  static let details = """
    A wrong former PIN is counted, also when the process ends meanwhile; after too many the policy wants a sign-in, or \
    the account's data is wiped before the answer. A right one counts as entered, even where the new one is refused. \
    Neither kept nor logged. Commit point: before the former PIN is looked at.
    """
  struct Params: AccountTargeted {
    var pin: SecretString
    var newPin: SecretString
    var account: AccountReference?
    static let fields = Fields(
      Self.init, Field(required: "pin", \.pin, "The PIN up to now."),
      Field(required: "newPin", \.newPin, "The new one."), Field("account", \.account, pinAccountSummary))
  }
  typealias Result = Nothing
  static let resultSummary = "Null."
  static let errors: [ErrorCode] =
    [.pinNotRequired, .pinNotSet, .wrongPIN, .pinNotAllowed, .pinRetriesExceeded] + .keys
  static let example = Example(
    Params(pin: "2580", newPin: "8520", account: "alice@contoso.example"), Nothing())

  static func queue(_ params: Params) -> String? { Queue.pin }

  static func answer(_ asked: Asked<Params>, on connection: BridgeConnection) async throws(MAMError) -> Nothing {
    let (former, new) = (try HostSecret(orThrow: asked.params.pin), try HostSecret(orThrow: asked.params.newPin))
    try await connection.core.pins.change(from: former, to: new, of: asked.account)
    return Nothing()
  }
}

enum ResetPIN: WorkMethod {
  static let name = "pin.reset"
  static let summary = "Forgets the PIN of a user who has signed in instead."
  static let details = """
    Also after too many wrong PINs, unless the policy then wipes. Any token that is not empty proves the sign-in: a \
    policy source of files has nobody who could check it. The user then has no PIN; the next one is chosen by pin.set \
    or a challenge, and may not be one of those that the policy remembers. Commit point: the store's transaction.
    """
  struct Params: AccountTargeted {
    var accessToken: SecretString
    var account: AccountReference?
    static let fields = Fields(
      Self.init,
      Field(required: "accessToken", \.accessToken, "What the user's sign-in has brought; neither kept nor logged."),
      Field("account", \.account, pinAccountSummary))
  }
  typealias Result = Nothing
  static let resultSummary = "Null."
  static let errors: [ErrorCode] =
    [.pinNotRequired, .pinNotSet, .pinRetriesExceeded, .tokenRefused] + .keys
  static let example = Example(Params(accessToken: "eyJ0eXAi", account: "alice@contoso.example"), Nothing())

  static func queue(_ params: Params) -> String? { Queue.pin }

  static func answer(_ asked: Asked<Params>, on connection: BridgeConnection) throws(MAMError) -> Nothing {
    try connection.core.pins.reset(of: asked.account, token: try HostSecret(orThrow: asked.params.accessToken))
    return Nothing()
  }
}

/// Whose PIN is meant.
struct PINParams: AccountTargeted {
  var account: AccountReference?
  static let fields = Fields(Self.init, Field("account", \.account, pinAccountSummary))
}

private let pinAccountSummary = "The account; without it the effective identity."
