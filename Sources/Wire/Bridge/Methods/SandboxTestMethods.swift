import JSON
import MAM
import Model
import Policy
import Support

/// What an answer should do.
enum ExpectedOutcome: String, CaseIterable, Sendable, NamedValue {
  case allowed, blocked
}

enum ExpectInSandbox: SandboxMethod {
  static let name = "sandbox.expect"
  static let summary = "Say whether the newest question of the app was answered as a test expects, and why."
  static let details = """
    A question is what policy.explain takes, and policy.explain itself. With setting, the answer must also have been \
    decided by this setting. An account without a policy is allowed everything: unless unmanaged is true, that does not \
    count if the account is not registered, or if its user cannot enroll. The text is for the failure of a test, and the \
    same in all languages.
    """
  struct Params: Record {
    var outcome: ExpectedOutcome
    var setting: String?
    var unmanaged: Bool
    static let fields = Fields(
      Self.init, Field("outcome", \.outcome, "What the answer should do."),
      Field("setting", \.setting, "The name of the setting that should have decided; defaults to any."),
      Field(
        "unmanaged", \.unmanaged, default: false,
        "Whether the answer may be \"allowed\" because the account is not managed at all."))
  }
  struct Result: Record {
    var isMet: Bool
    var text: String
    static let schemaName = "Expectation"
    static let fields = Fields(
      Self.init, Field("isMet", \.isMet, "Whether the answer is as expected."),
      Field("text", \.text, "What was expected and what is the case, with a line for each reason."))
  }
  static let resultSummary = "Whether the expectation is met."
  static let example = Example(
    Params(outcome: .blocked, setting: "saveAsBlocked", unmanaged: false),
    Result(
      isMet: false,
      text: "policy.isSaveToAllowedForLocation should be blocked by saveAsBlocked, but is allowed\n  "
        + "Saving to Dropbox is allowed."))

  static func answer(
    _ params: Params, in sandbox: Sandbox, on connection: BridgeConnection
  ) async throws(MAMError) -> Result {
    guard let question = sandbox.story.newestQuestion else {
      return Result(
        isMet: false,
        text: "nothing was asked: let the app ask this server whether something is allowed, then check. Programs that "
          + "joined ask servers of their own: give the app the client of the sandbox, or check what the app does")
    }
    let found = await question.meets(params) { sandbox.nearestUser(to: $0) }
    if !found.isMet, let setting = params.setting, SettingName(rawValue: setting) == nil {
      let nearest = SettingName.allCases.map(\.rawValue).nearest(to: setting).map { "Did you mean \($0)?" }
      throw MAMError(
        .invalidParams, "/setting: there is no setting \"\(setting.beginning(ofBytes: 100))\"",
        hint: nearest ?? "Use the name of Microsoft Graph", path: "/setting")
    }
    return found
  }
}

enum WaitInSandbox: SandboxMethod {
  static let name = "sandbox.waitForEvent"
  static let summary = "Wait for the first event of a name that no earlier wait has returned."
  static let details = """
    Events that came before the call count, but not those before sandbox.restore or sandbox.reset. Other requests are \
    answered meanwhile.
    """
  struct Params: Record {
    var eventType: EventName
    var account: TestedAccount?
    var milliseconds: WaitMilliseconds
    static let fields = Fields(
      Self.init, Field("eventType", \.eventType, "The name of the event."),
      Field("account", \.account, "The account that the event must be for; defaults to any."),
      Field("milliseconds", \.milliseconds, default: 10_000, "How long to wait."))
  }
  struct Result: Record {
    var entry: EventEntry?
    var text: String
    static let schemaName = "AwaitedEvent"
    static let fields = Fields(
      Self.init, Field("entry", \.entry, "The event, as in events.list; null if none came in time."),
      Field("text", \.text, "For the failure of a test: what did not happen in which time, and what did."))
  }
  static let resultSummary = "The event."
  static let example = Example(
    Params(eventType: EventName(PolicyDidChange.self), milliseconds: 100),
    Result(entry: nil, text: "policyManager.policyDidChange did not happen within 0.1 s, but no event did"))

  static func queue(_ params: Params) -> String? { nil }
  static func isWaiting(_ params: Params) -> Bool { params.milliseconds.value > 0 }

  static func answer(
    _ params: Params, in sandbox: Sandbox, on connection: BridgeConnection
  ) async throws(MAMError) -> Result {
    let (name, wait, identity) = (params.eventType.name, params.milliseconds.value, params.account?.reference.text)
    let deadline = ContinuousClock.now + .milliseconds(wait)
    let found = try await sandbox.awaited.next(name, of: identity, until: deadline, in: connection.core)
    if let event = found.event { return Result(entry: EventEntry(event), text: "\(name) happened") }
    let others = found.others.isEmpty ? "no event" : found.others.sorted().joined(separator: ", ")
    let again = found.former.map { " again, after the one of \($0.timeOfDay) that an earlier wait returned" } ?? ""
    let about = identity.map { " for \($0)" } ?? ""
    let seconds = wait % 1_000 == 0 ? "\(wait / 1_000)" : "\(Double(wait) / 1_000)"
    let time = ContinuousClock.now < deadline ? "before the input ended" : "within \(seconds) s"
    return Result(entry: nil, text: "\(name)\(about) did not happen \(time)\(again), but \(others) did")
  }
}

enum ReportFromSandbox: SandboxMethod {
  static let name = "sandbox.report"
  static let summary = "Return what a failed test prints: what happened, and a script that repeats it."
  static let details = """
    The script is for bash. It starts a sandbox as this one was started, and makes the calls again, with the PINs and \
    the data of the test; calls of programs that joined the sandbox are not among them. It keeps 5,000 calls and 8 MiB, and \
    says where calls are left out.
    """
  struct Params: Record {
    var failure: String
    static let fields = Fields(
      Self.init,
      Field(
        "failure", \.failure, default: "",
        "The failure: its first line is the title of the script, and the script ends by printing the others."))
  }
  struct Result: Record {
    var story: String
    var replay: String
    var text: String
    static let schemaName = "SandboxReport"
    static let fields = Fields(
      Self.init, Field("story", \.story, "What happened, a line for each entry of sandbox.story and each reason."),
      Field("replay", \.replay, "The script."),
      Field(
        "text", \.text,
        "What a failed test prints: the story, the last requests to the network if there is one, and the script."))
  }
  static let resultSummary = "The report."
  static let example = Example(
    Params(failure: ""),
    Result(
      story: "Nothing happened.", replay: "#!/usr/bin/env bash\n",
      text: "--- what happened in the sandbox\nNothing happened.\n--- a script that replays it\n#!/usr/bin/env bash\n"))

  static func answer(_ params: Params, in sandbox: Sandbox, on connection: BridgeConnection) async -> Result {
    let story = sandbox.story.text(connection.core)
    let replay = sandbox.story.recording.script(
      sandbox.command, failure: params.failure, joined: sandbox.joinedPrograms)
    let requests = await sandbox.network.report.map { "\n--- the last requests to the network\n\($0)" } ?? ""
    return Result(
      story: story, replay: replay,
      text: "--- what happened in the sandbox\n\(story)\(requests)\n--- a script that replays it\n\(replay)")
  }
}
