import JSON
import MAM
import Model
import Policy
import Support

enum AdvanceClock: WorkMethod {
  static let name = "debug.advanceClock"
  static let summary = "Moves the manual clock forward, doing on the way all that becomes due."
  static let details = """
    Needs --clock manual, on which time stands still and nothing runs by itself. Each check-in that becomes due \
    happens at its time and in order, with its events, before the answer; PT0S does what is due now. The policy source \
    is read once. Commit point: the store's transaction.
    """
  struct Params: Record {
    var by: AdvanceDuration
    static let fields = Fields(
      Self.init, Field("by", \.by, "How far, such as PT30M or P90D; 366 days at most."))
  }
  struct Result: Record {
    var time: Timestamp
    static let fields = Fields(Self.init, Field("time", \.time, "The time by the clock now."))
  }
  static let resultSummary = "Where the clock stands."
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
  static let summary = "Puts a test policy in the place of what the tenant says."
  static let details = """
    Needs the setting DebugSettingsEnabled. The policy is in force at once, also for an account that is registered but \
    not enrolled, with policyManager.policyDidChange; it is stored, holds in every process of the app, and wins over \
    check-ins until debug.clearPolicy. Without an account it is for every account that has no test policy of its own. \
    An exported policy may be given as it is. A name that is not known, or a value that does not fit, refuses all; \
    data.path ends with it. policyManager.policy, tenant.status, diagnosticConsole.getDiagnosticInformation and the \
    log show it as a test policy, and policyManager.mamPolicySource is other. Commit point: the store's transaction.
    """
  struct Params: Record {
    var settings: TestSettings
    var account: TestedAccount?
    static let fields = Fields(
      Self.init,
      Field("settings", \.settings, "All that the policy sets, by the names of Graph or of the SDK."),
      Field("account", \.account, "Whose policy; without it that of every account."))
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
  static let summary = "Takes test policies of debug.setPolicy back."
  static let details = """
    Needs the setting DebugSettingsEnabled. What the tenant says holds again at once, with \
    policyManager.policyDidChange. A policy of --debug-settings stays. Commit point: the store's transaction.
    """
  struct Params: Record {
    var account: TestedAccount?
    static let fields = Fields(
      Self.init, Field("account", \.account, "Whose test policy; without it all of them."))
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

/// A duration of 366 days at most: every check-in on the way is made.
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

/// An account that can have a policy: nobody cannot.
struct TestedAccount: FieldValue, Hashable {
  let reference: AccountReference

  init(_ reference: AccountReference) {
    self.reference = reference
  }

  static func decode(_ node: JSONNode) throws(JSONDecodingError) -> TestedAccount {
    let reference = try AccountReference.decode(node)
    guard reference.kind != .noUser else {
      throw JSONDecodingError(.invalid("must name an account: no user has no policy. Leave it out for every account"))
    }
    return TestedAccount(reference)
  }

  func encode(to writer: inout JSONWriter) { reference.encode(to: &writer) }

  static func schema(in components: inout SchemaComponents) -> JSONValue {
    AccountReference.schema(in: &components)
  }
}
