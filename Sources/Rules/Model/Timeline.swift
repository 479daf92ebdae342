import JSON
import Support

/// Something that happens to an account when a time comes.
package struct DueEntry: Hashable, Sendable {
  package enum Kind: String, CaseIterable, Hashable, Sendable {
    case checkIn, wipe, offlineBlock, offlineWipe, clockStale, challengeExpiry, pinExpiry
  }

  package var time: Timestamp
  package var kind: Kind
  package var accountId: String?
  package var identity: String?
  /// The setting's name in Microsoft Graph; `nil` if no setting chose the time.
  package var setting: String?
  package var text: String

  package init(
    time: Timestamp, kind: Kind, accountId: String?, identity: String?, setting: String? = nil, text: String
  ) {
    self.time = time
    self.kind = kind
    self.accountId = accountId
    self.identity = identity
    self.setting = setting
    self.text = text
  }
}

/// What falls due in a span of time, if nobody does anything.
package struct Timeline: Hashable, Sendable {
  package var now: Timestamp
  package var until: Timestamp
  package var entries: [DueEntry]

  package init(now: Timestamp, until: Timestamp, entries: [DueEntry]) {
    self.now = now
    self.until = until
    self.entries = entries
  }
}

extension DueEntry.Kind: NamedValue {
  package static let schemaName = "DueEntryKind"
}

extension DueEntry: Record {
  package static let fields = Fields(
    Self.init(time:kind:accountId:identity:setting:text:),
    Field("time", \.time, "When it happens; now, if it is due already."),
    Field("kind", \.kind, "What happens."),
    Field("accountId", \.accountId, "The Entra object id of the account; null if unknown."),
    Field("identity", \.identity, "The user principal name of the account; null if unknown."),
    Field("setting", \.setting, "Microsoft Graph's name of the setting that chooses the time; null if none does."),
    Field("text", \.text, "What happens, as an English sentence."))
}

extension Timeline: Record {
  package static let fields = Fields(
    Self.init(now:until:entries:),
    Field("now", \.now, "The time of the clock."),
    Field("until", \.until, "The last time that was looked at."),
    Field("entries", \.entries, "What falls due, by time."))
}
