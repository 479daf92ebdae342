import JSON
import Support

/// Something that happens to an account when a time comes.
public struct DueEntry: Hashable, Sendable {
  public enum Kind: String, CaseIterable, Hashable, Sendable {
    case checkIn, wipe, offlineBlock, offlineWipe, clockStale, challengeExpiry, pinExpiry
  }

  public var time: Timestamp
  public var kind: Kind
  public var accountId: String?
  public var identity: String?
  /// The setting's name in Microsoft Graph; `nil` if no setting chose the time.
  public var setting: String?
  public var text: String

  public init(
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
public struct Timeline: Hashable, Sendable {
  public var now: Timestamp
  public var until: Timestamp
  public var entries: [DueEntry]

  public init(now: Timestamp, until: Timestamp, entries: [DueEntry]) {
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
