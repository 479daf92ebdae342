import JSON
import Model

/// Part of the Android SDK: the notification WIPE_USER_AUXILIARY_DATA.
enum WipeAuxiliaryDataForAccount: HostRequest {
  static let name = "policyDelegate.wipeAuxiliaryDataForAccount"
  static let summary = "Remove an account's data that is not in files; the server then removes the files."
  static let details = """
    Sent in a wipe if a host declared it and no host declared policyDelegate.wipeDataForAccount. If the answer is false, \
    the wipe does not end: its status is 215, and it is tried again, with this request.
    """
  static let defaultOutcome = "true: the server removes the files that the account owns."
  typealias Params = Account
  typealias Result = Bool
  static let resultSummary = "Whether the host removed the data."
  static let example = Example<Params, Result>(.example, true)
}

/// Part of the Android SDK: the notification MANAGEMENT_REMOVED.
enum ManagementWillBeRemoved: HostRequest {
  static let name = "policyDelegate.managementWillBeRemoved"
  static let summary = "Read what is still needed of an account's protected data, which cannot be read afterwards."
  static let details = """
    Sent before an account is unenrolled without a wipe, and before a check-in that finds no policy for it any more. \
    The server waits for the answer. Not sent before a wipe. The event policyManager.managementRemoved follows.
    """
  static let defaultOutcome = "The account stops being managed."
  typealias Params = Account
  typealias Result = Nothing
  static let resultSummary = "Null."
  static let example = Example<Params, Result>(.example, Nothing())
}

/// Part of the Android SDK: the notification COLLECT_APP_DIAGNOSTIC_LOG.
enum CollectLogs: HostRequest {
  static let name = "diagnosticConsole.collectLogs"
  static let summary = "Collect the host's own logs for a support session."
  static let details = """
    Sent by diagnosticsLog.export with a sessionId. The host asks its user for consent if it needs that. The server adds \
    the files to the archive as they are; it scrubs only its own log.
    """
  static let defaultOutcome = "The archive has no logs of the host."
  struct Params: Record {
    var sessionId: String
    var accountId: String?
    var identity: String?
    static let fields = Fields(
      Self.init, Field("sessionId", \.sessionId, "The support session, as the caller named it."),
      Field("accountId", \.accountId, "The Entra object id; null if unknown."),
      Field("identity", \.identity, "The user principal name; null if unknown."))
  }
  struct Result: Record {
    var paths: [AbsolutePath]
    static let schemaName = "CollectedLogs"
    static let fields = Fields(
      Self.init, Field("paths", \.paths, "The absolute paths of regular files, at most 100."))
  }
  static let resultSummary = "The files."
  static let errors: [ErrorCode] = [.canceled]
  static let example = Example(
    Params(
      sessionId: "7f3a", accountId: Account.example.accountId, identity: Account.example.identity),
    Result(paths: [AbsolutePath("/home/me/.local/state/notes/notes.log") ?? .root]))
}
