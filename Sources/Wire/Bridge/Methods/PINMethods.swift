import JSON
import MAM
import Model
import Support

enum GetPINStatus: WorkMethod {
  static let name = "pin.status"
  static let summary = "Return the status of an account's PIN."
  static let details = """
    A user has one PIN for all apps of a publisher; the first two labels of --app-id name the publisher. A wipe does \
    not change the PIN.
    """
  typealias Params = PINParams
  typealias Result = PINStatus
  static let resultSummary = "Whether a PIN is required and set, how many tries are left, and when it expires."
  static let example = Example(
    Params(account: "alice@contoso.example"),
    PINStatus(
      required: true, isSet: true, retriesLeft: 5, expires: Timestamp("2026-02-02T03:40:00Z")))

  static func queue(_ params: Params) -> String? { Queue.pin }

  static func answer(_ asked: Addressed<Params>, on connection: BridgeConnection) throws(MAMError) -> PINStatus {
    try connection.core.pins.status(of: asked.account)
  }
}

enum SetPIN: WorkMethod {
  static let name = "pin.set"
  static let summary = "Set the first PIN of a user."
  static let details = """
    The PIN must satisfy the account's policy: its length, its characters, simple sequences and, after a reset, the \
    earlier PINs that the policy remembers. The PIN counts as entered. The call takes about 100 ms. The PIN is stored \
    only as a hash, and never logged. Commit point: before the PIN is hashed.
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

  static func answer(_ asked: Addressed<Params>, on connection: BridgeConnection) throws(MAMError) -> Nothing {
    try connection.core.pins.set(try HostSecret(orThrow: asked.params.pin), of: asked.account)
    return Nothing()
  }
}

enum ChangePIN: WorkMethod {
  static let name = "pin.change"
  static let summary = "Replace the PIN of a user who knows the current one."
  static let details = """
    A wrong current PIN is counted, even if the process ends meanwhile. After too many, the policy requires a sign-in, \
    or the account's data is wiped before the answer. A right one counts as entered, even if the new PIN is refused. \
    PINs are stored only as hashes, and never logged. Commit point: before the current PIN is checked.
    """
  struct Params: AccountTargeted {
    var pin: SecretString
    var newPin: SecretString
    var account: AccountReference?
    static let fields = Fields(
      Self.init, Field(required: "pin", \.pin, "The current PIN."),
      Field(required: "newPin", \.newPin, "The new PIN."), Field("account", \.account, pinAccountSummary))
  }
  typealias Result = Nothing
  static let resultSummary = "Null."
  static let errors: [ErrorCode] =
    [.pinNotRequired, .pinNotSet, .wrongPIN, .pinNotAllowed, .pinRetriesExceeded] + .keys
  static let example = Example(
    Params(pin: "2580", newPin: "8520", account: "alice@contoso.example"), Nothing())

  static func queue(_ params: Params) -> String? { Queue.pin }

  static func answer(_ asked: Addressed<Params>, on connection: BridgeConnection) async throws(MAMError) -> Nothing {
    let (former, new) = (try HostSecret(orThrow: asked.params.pin), try HostSecret(orThrow: asked.params.newPin))
    try await connection.core.pins.change(from: former, to: new, of: asked.account)
    return Nothing()
  }
}

enum ResetPIN: WorkMethod {
  static let name = "pin.reset"
  static let summary = "Remove the PIN of a user who signed in instead."
  static let details = """
    Also possible after too many wrong PINs, unless the policy then wipes. Any token that is not empty proves the \
    sign-in, because a policy source of files cannot check it. The user then has no PIN. The next one is set by \
    pin.set or a challenge, and cannot be a PIN that the policy remembers. Commit point: the store transaction.
    """
  struct Params: AccountTargeted {
    var accessToken: SecretString
    var account: AccountReference?
    static let fields = Fields(
      Self.init,
      Field(required: "accessToken", \.accessToken, "The token from the user's sign-in; neither stored nor logged."),
      Field("account", \.account, pinAccountSummary))
  }
  typealias Result = Nothing
  static let resultSummary = "Null."
  static let errors: [ErrorCode] =
    [.pinNotRequired, .pinNotSet, .pinRetriesExceeded, .tokenRefused] + .keys
  static let example = Example(Params(accessToken: "eyJ0eXAi", account: "alice@contoso.example"), Nothing())

  static func queue(_ params: Params) -> String? { Queue.pin }

  static func answer(_ asked: Addressed<Params>, on connection: BridgeConnection) throws(MAMError) -> Nothing {
    try connection.core.pins.reset(of: asked.account, token: try HostSecret(orThrow: asked.params.accessToken))
    return Nothing()
  }
}

/// The account whose PIN is meant.
struct PINParams: AccountTargeted {
  var account: AccountReference?
  static let fields = Fields(Self.init, Field("account", \.account, pinAccountSummary))
}

private let pinAccountSummary = "The account; defaults to the effective identity."
