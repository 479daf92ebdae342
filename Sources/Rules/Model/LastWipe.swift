import JSON
import Support

/// What started a wipe.
package enum WipeCause: String, CaseIterable, Sendable, NamedValue {
  /// The host unenrolled the account.
  case host
  /// An administrator requested a single wipe.
  case administrator
  /// An administrator blocks the account in the app.
  case administratorBlock
  /// A rule of the account's policy. Older versions stored this name.
  case policy = "conditionalLaunch"
}

/// The last wipe of an app. It names the account by its object id only, and no files, because a wipe removes names.
package struct LastWipe: Hashable, Sendable {
  /// `nil` if the id was never known.
  package var accountId: String?
  package var begunAt: Timestamp
  /// `nil` while the wipe goes on.
  package var endedAt: Timestamp?
  package var cause: WipeCause
  package var text: String
  package var files = 0
  package var isRemovedByHost = false

  package init(
    accountId: String?, begunAt: Timestamp, endedAt: Timestamp? = nil, cause: WipeCause, text: String, files: Int = 0,
    isRemovedByHost: Bool = false
  ) {
    self.accountId = accountId
    self.begunAt = begunAt
    self.endedAt = endedAt
    self.cause = cause
    self.text = text
    self.files = files
    self.isRemovedByHost = isRemovedByHost
  }
}

extension LastWipe: Record {
  package static let fields = Fields(
    Self.init(accountId:begunAt:endedAt:cause:text:files:isRemovedByHost:),
    Field("accountId", \.accountId, "The Entra object id of the account; null if it was never known."),
    Field("begunAt", \.begunAt, "When the wipe began."),
    Field("endedAt", \.endedAt, "When everything was removed; null while the wipe goes on."),
    Field("cause", \.cause, "What started the wipe."),
    Field(
      "text", \.text,
      "Why, in words: for a rule of a policy, the setting, what it found, and the policy with its file."),
    Field("files", \.files, "How many files mambridge removed."),
    Field("isRemovedByHost", \.isRemovedByHost, "Whether the host removed the account's data itself."))
}
