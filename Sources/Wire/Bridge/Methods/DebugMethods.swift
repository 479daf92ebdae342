import JSON
import MAM
import Model
import Policy
import Support

enum AdvanceClock: WorkMethod {
  static let name = "debug.advanceClock"
  static let summary = "Move the manual clock forward, and run everything that becomes due on the way."
  static let details = """
    Requires --clock manual, with which time stands still and nothing runs by itself. Each check-in that becomes due \
    runs at its time and in order, with its events, before the answer. PT0S runs what is due now. The policy source is \
    read once. Commit point: the store transaction.
    """
  struct Params: Record {
    var by: AdvanceDuration
    static let fields = Fields(
      Self.init, Field("by", \.by, "How far to move the clock, such as PT30M or P90D; at most 366 days."))
  }
  struct Result: Record {
    var time: Timestamp
    static let schemaName = "ClockTime"
    static let fields = Fields(Self.init, Field("time", \.time, "The new time of the clock."))
  }
  static let resultSummary = "The new time of the clock."
  static let errors: [ErrorCode] = [.manualClockNeeded]
  static let example = Example(
    Params(by: AdvanceDuration(ISODuration(seconds: 1800))),
    Result(time: Timestamp(milliseconds: 1_770_000_000_000)))

  static func queue(_ params: Params) -> String? { Queue.enrollment }

  static func answer(_ params: Params, on connection: BridgeConnection) async throws(MAMError) -> Result {
    let milliseconds = params.by.duration.milliseconds
    return Result(time: try await connection.core.scheduler.advanceAndFollowUp(byMilliseconds: milliseconds))
  }
}

enum SetTestPolicy: WorkMethod {
  static let name = "debug.setPolicy"
  static let summary = "Replace the tenant's policy with a test policy."
  static let details = """
    Requires the setting DebugSettingsEnabled. The policy takes effect at once, with policyManager.policyDidChange, \
    even for an account that is registered but not enrolled. It is stored, applies in every process of the app, and \
    overrides check-ins until debug.clearPolicy. Without an account, it applies to every account that has no test \
    policy of its own. An exported policy can be passed as it is. An unknown name or an invalid value rejects the \
    whole policy; data.path ends with the name. policyManager.policy, tenant.status, \
    diagnosticConsole.getDiagnosticInformation and the log mark the policy as a test policy, and \
    policyManager.mamPolicySource is other. Commit point: the store transaction.
    """
  struct Params: Record {
    var settings: TestSettings
    var account: TestedAccount?
    static let fields = Fields(
      Self.init,
      Field("settings", \.settings, "All settings of the policy, by their names in Graph or in the SDK."),
      Field("account", \.account, "The account that gets the policy; defaults to every account."))
  }
  typealias Result = Nothing
  static let resultSummary = "Null."
  static let errors: [ErrorCode] = [.debugSettingsNeeded]
  static let example = Example(
    Params(settings: TestSettings([.pinRequired: .bool(true)]), account: TestedAccount("alice@contoso.example")),
    Nothing())

  static func queue(_ params: Params) -> String? { Queue.enrollment }

  static func answer(_ params: Params, on connection: BridgeConnection) throws(MAMError) -> Nothing {
    try connection.core.policyOverrides.set(params.settings, of: params.account?.reference)
    return Nothing()
  }
}

enum ClearTestPolicy: WorkMethod {
  static let name = "debug.clearPolicy"
  static let summary = "Remove test policies that debug.setPolicy set."
  static let details = """
    Requires the setting DebugSettingsEnabled. The tenant's policy applies again at once, with \
    policyManager.policyDidChange. A policy from --debug-settings stays. Commit point: the store transaction.
    """
  struct Params: Record {
    var account: TestedAccount?
    static let fields = Fields(
      Self.init,
      Field("account", \.account, "The account whose test policy is removed; defaults to all test policies."))
  }
  typealias Result = Nothing
  static let resultSummary = "Null."
  static let errors: [ErrorCode] = [.debugSettingsNeeded]
  static let example = Example(Params(account: TestedAccount("alice@contoso.example")), Nothing())

  static func queue(_ params: Params) -> String? { Queue.enrollment }

  static func answer(_ params: Params, on connection: BridgeConnection) throws(MAMError) -> Nothing {
    try connection.core.policyOverrides.clear(of: params.account?.reference)
    return Nothing()
  }
}

/// A duration of at most 366 days, because every check-in on the way is run.
struct AdvanceDuration: FieldValue, Hashable {
  let duration: ISODuration

  init(_ duration: ISODuration) {
    self.duration = duration
  }

  static func decode(_ node: JSONNode) throws(JSONDecodingError) -> AdvanceDuration {
    let duration = try ISODuration.decode(node)
    guard duration.seconds <= 366 * 86_400 else {
      throw JSONDecodingError(.invalid("must be at most P366D; call again to go further"))
    }
    return AdvanceDuration(duration)
  }

  func encode(to writer: inout JSONWriter) { duration.encode(to: &writer) }

  static func schema(in components: inout SchemaComponents) -> JSONValue {
    ISODuration.schema(in: &components)
  }
}

/// An account that can have a policy, which "no user" cannot.
struct TestedAccount: FieldValue, Hashable {
  let reference: AccountReference

  init(_ reference: AccountReference) {
    self.reference = reference
  }

  static func decode(_ node: JSONNode) throws(JSONDecodingError) -> TestedAccount {
    let reference = try AccountReference.decode(node)
    guard reference.kind != .noUser else {
      throw JSONDecodingError(
        .invalid("must name an account, because \"no user\" cannot have a policy. Leave it out to mean every account"))
    }
    return TestedAccount(reference)
  }

  func encode(to writer: inout JSONWriter) { reference.encode(to: &writer) }

  static func schema(in components: inout SchemaComponents) -> JSONValue {
    AccountReference.schema(in: &components)
  }
}
