import JSON
import MAM
import Model
import Support

enum AnswerInSandbox: SandboxMethod {
  static let name = "sandbox.answer"
  static let summary = "Say how a user answers what no host answers, from now on."
  static let details = """
    Without it, a question that no host answers ends the call with error 8001. A host that declared a request is asked \
    first. A challenge for a PIN gets the PIN once: after a wrong one, call again with another. Each call replaces all \
    answers of the one before; a call without members ends them, as sandbox.restore and sandbox.reset do.
    """
  struct Params: Record {
    var pin: SecretString?
    var signIn: Bool
    var userPrincipalName: String?
    var accepted: Bool?
    var canceled: Bool
    static let fields = Fields(
      Self.init, Field("pin", \.pin, "What the user enters as a new PIN, and when asked for the PIN."),
      Field("signIn", \.signIn, default: false, "Whether the user signs in when asked to."),
      Field(
        "userPrincipalName", \.userPrincipalName, "Who signs in; defaults to the user that the question names."),
      Field("accepted", \.accepted, "Whether the user goes on despite a warning; null for no answer."),
      Field("canceled", \.canceled, default: false, "Whether the user cancels what has no other answer here."))
  }
  typealias Result = Nothing
  static let resultSummary = "Null."
  static let example = Example(Params(pin: "482913", signIn: true, accepted: true, canceled: false), Nothing())

  static func answer(
    _ params: Params, in sandbox: Sandbox, on connection: BridgeConnection
  ) throws(MAMError) -> Nothing {
    let pin = try params.pin.map { text throws(MAMError) in try HostSecret(orThrow: text) }
    sandbox.user.replace(
      with: ScriptedUser.Answers(
        pin: pin, signsIn: params.signIn, userPrincipalName: params.userPrincipalName, accepts: params.accepted,
        cancels: params.canceled))
    return Nothing()
  }
}

/// The name of a save.
struct SandboxSave: Record {
  var name: String
  static let fields = Fields(
    Self.init, Field("name", \.name, "1 to 100 letters, digits, hyphens and underscores."))
}

enum SaveSandbox: SandboxMethod {
  static let name = "sandbox.save"
  static let summary = "Keep the state, the tenant and the time under a name, until the sandbox ends."
  static let details = """
    Replaces what was saved under the name. Files that the app has protected stay where they are and are not a part of \
    it. Commit point: when the save gets its name.
    """
  typealias Params = SandboxSave
  typealias Result = Nothing
  static let resultSummary = "Null."
  static let example = Example(Params(name: "enrolled"), Nothing())

  static func answer(
    _ params: Params, in sandbox: Sandbox, on connection: BridgeConnection
  ) throws(MAMError) -> Nothing {
    try sandbox.save(params.name, connection.core)
    return Nothing()
  }
}

enum RestoreSandbox: TenantChangingMethod {
  static let name = "sandbox.restore"
  static let summary = "Bring back the state, the tenant and the time that were saved under a name."
  static let details = """
    May be called any number of times. What a connection has of its own stays: its identities, subscriptions and open \
    files. Fails while other processes use the state. Commit point: when the folders are exchanged.
    """
  typealias Params = SandboxSave
  typealias Result = AdvanceClock.Result
  static let resultSummary = "The time of the clock."
  static let example = Example(
    Params(name: "enrolled"), Result(time: Timestamp(milliseconds: 1_770_000_000_000)))

  static func answer(
    _ params: Params, in sandbox: Sandbox, on connection: BridgeConnection
  ) async throws(MAMError) -> Result {
    Result(time: try await sandbox.restore(params.name, connection.core))
  }
}

enum ResetSandbox: TenantChangingMethod {
  static let name = "sandbox.reset"
  static let summary = "Bring back the state, the tenant and the time that the sandbox began with."
  static let details = "Like sandbox.restore. What was saved stays."
  typealias Params = NoParameters
  typealias Result = AdvanceClock.Result
  static let resultSummary = "The time of the clock."
  static let example = Example(Result(time: Timestamp(milliseconds: 1_770_000_000_000)))

  static func answer(
    _ params: Params, in sandbox: Sandbox, on connection: BridgeConnection
  ) async throws(MAMError) -> Result {
    Result(time: try await sandbox.restore(nil, connection.core))
  }
}

enum ExportSandbox: SandboxMethod {
  static let name = "sandbox.export"
  static let summary = "Write the state, the tenant and the time into a new folder, for --seed of another sandbox."
  static let details = """
    The folder contains the keys of the state: whoever can read it can read what the sandbox protects. Commit point: \
    when the folder gets its name.
    """
  struct Params: Record {
    var folder: AbsolutePath
    static let fields = Fields(
      Self.init, Field("folder", \.folder, "The path of the new folder, which only this user can read."))
  }
  typealias Result = Nothing
  static let resultSummary = "Null."
  static let errors: [ErrorCode] = [.unsuitableFile]
  static let example = Example(Params(folder: AbsolutePath("/home/me/enrolled") ?? .root), Nothing())

  static func answer(
    _ params: Params, in sandbox: Sandbox, on connection: BridgeConnection
  ) throws(MAMError) -> Nothing {
    try sandbox.export(to: params.folder, connection.core)
    return Nothing()
  }
}

enum GetSandboxEnvironment: SandboxMethod {
  static let name = "sandbox.environment"
  static let summary = "Return the variables with which a program that starts mambridge itself joins the sandbox."
  static let details = """
    Such a server has the same state, tenant and clock; time moves in both when one of them moves it. One whose options \
    or variables lead elsewhere does not start, and says which to leave out. The methods sandbox.* exist only in the \
    sandbox itself.
    """
  typealias Params = NoParameters
  typealias Result = [String: String]
  static let resultSummary = "The values by the names of the variables."
  static let example = Example(["MAMBRIDGE_APP_ID": "com.example.host"] as [String: String])

  static func answer(
    _ params: Params, in sandbox: Sandbox, on connection: BridgeConnection
  ) -> [String: String] { sandbox.folder.environment(at: connection.core.now) }
}

enum GetSandboxStory: SandboxMethod {
  static let name = "sandbox.story"
  static let summary = "Return what happened in the sandbox, in plain words."
  static let details = """
    Each call with its outcome, each decision with its reasons, each event and each answer that a planted fault hits, \
    in order. PINs, tokens and returned data \
    are left out. The newest 2,000 entries are kept.
    """
  struct Params: Record {
    var since: Int64
    static let fields = Fields(
      Self.init, Field("since", \.since, default: 0, "Only entries after this number, such as next of the last call."))
  }
  struct Result: Record {
    var entries: [StoryEntry]
    var next: Int64
    var missed: Bool
    static let schemaName = "Story"
    static let fields = Fields(
      Self.init, Field("entries", \.entries, "What happened, oldest first."),
      Field("next", \.next, "The number of the newest entry."),
      Field("missed", \.missed, "Whether entries after since are no longer kept."))
  }
  static let resultSummary = "The story."
  static let example = Example(
    Params(since: 0),
    Result(
      entries: [
        StoryEntry(
          number: 1, time: Timestamp(milliseconds: 1_770_000_000_000), kind: .decision,
          text: #"policy.isPINRequired with account "alice@contoso.example": true"#, because: ["A PIN is required."])
      ], next: 1, missed: false))

  static func answer(
    _ params: Params, in sandbox: Sandbox, on connection: BridgeConnection
  ) -> Result { sandbox.story.entries(after: params.since, connection.core) }
}
