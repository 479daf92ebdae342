import JSON

/// What a source answers about an account. The members are as the source wrote them, and are checked when the answer
/// becomes a tenant. What is absent says nothing.
package struct SourceAnswer: SourceRecord {
  package enum Outcome: String, MessageWord {
    case delivered, notModified, userUnknown, userDisabled, userDeleted, notLicensed
  }

  /// A member that may be absent. Absence is no instruction: only a value says that there is none.
  package enum Member: String, CaseIterable, Sendable {
    case allowedAccounts, certificatePins, mdm, unknownRestrictions, configurations, hiddenDefaults, operations, hold
  }

  package static let schemaName = "Answer"

  package var outcome: AsWritten<Outcome>
  package var user: AsWritten<AnsweredUser>
  package var etag: IfDeclared<String>
  package var nextCheckIn: IfDeclared<Double>
  package var policies: AsWritten<[JSONObject]>
  package var hiddenDefaults: AsWritten<[JSONObject]>
  package var configurations: AsWritten<[JSONObject]>
  package var allowedAccounts: AsWritten<[String]?>
  package var certificatePins: AsWritten<JSONObject>
  package var mdm: AsWritten<JSONObject?>
  package var unknownRestrictions: AsWritten<UnknownRestrictions?>
  package var operations: AsWritten<[OrderedOperation]>
  package var hold: AsWritten<AnsweredHold?>

  package static let policies = Field(
    "policies", \Self.policies,
    "The protection policies that apply, as Graph writes them. An answer that delivers has them, if only [].")

  package static let hold = Field(
    "hold", \Self.hold,
    """
    Given while wipes are on hold: mambridge blocks an account instead of wiping it, unless the host starts the wipe. Null \
    ends the hold. \(silence)
    """)

  private static let silence = "If absent, what was said last stays."

  package static let fields = Fields(
    Self.init,
    Field(
      required: "outcome", \.outcome,
      """
      notModified only if the request had an etag. userUnknown says that the source does not list the user: the last \
      policy stays, and nothing is wiped. userDisabled and userDeleted say that the user may no longer sign in, for \
      which the policy may require a wipe.
      """),
    Field("user", \.user, ""), Field("etag", \.etag, "Names all that is delivered, except the operations."),
    Field("nextCheckIn", \.nextCheckIn, "In seconds, from 60 to 86400."),
    policies,
    Field(.hiddenDefaults, \.hiddenDefaults, "The default policies that a targeted policy hides. \(silence)"),
    Field(.configurations, \.configurations, "The app configurations that apply. \(silence)"),
    Field(
      .allowedAccounts, \.allowedAccounts, "The only accounts that the app may have; null for all. \(silence)"),
    Field(.certificatePins, \.certificatePins, "As in tenant.json. \(silence)"),
    Field(.mdm, \.mdm, "As in tenant.json. \(silence)"),
    Field(
      .unknownRestrictions, \.unknownRestrictions,
      "block if accounts are blocked whose policies set what mambridge does not know. \(silence)"),
    Field(
      .operations, \.operations, "The wipes that are ordered. If absent, a user who is blocked stays blocked."),
    hold)
}

extension Field where Root == SourceAnswer {
  fileprivate convenience init(
    _ member: SourceAnswer.Member, _ get: @escaping @Sendable (SourceAnswer) -> Value, _ summary: String
  ) {
    self.init(member.rawValue, get, summary)
  }
}

extension SourceAnswer {
  /// `nil` if the answer does not have the member.
  package func value(of member: Member) -> JSONValue? {
    switch member {
    case .allowedAccounts: allowedAccounts.value
    case .certificatePins: certificatePins.value
    case .mdm: mdm.value
    case .unknownRestrictions: unknownRestrictions.value
    case .configurations: configurations.value
    case .hiddenDefaults: hiddenDefaults.value
    case .operations: operations.value
    case .hold: hold.value
    }
  }

  package var absentMembers: Set<Member> { Set(Member.allCases.filter { value(of: $0) == nil }) }
}

/// The version of the messages in which a source answers, if it says one. A tenant service does.
package struct AnswerVersion: SourceRecord {
  package static let schemaName = "AnswerVersion"

  package var version: AsWritten<Int64>

  package static let fields = Fields(Self.init, Field("version", \.version, ""))
}

package enum UnknownRestrictions: String, MessageWord { case report, block }

/// The user of an account, as a source knows the user.
package struct AnsweredUser: SourceRecord {
  package static let schemaName = "User"

  package var id: String
  package var tenantId: String
  package var userPrincipalName: String
  package var displayName: String?
  package var mail: String?
  package var clock: JSONObject?

  package static let id = Field("id", \Self.id, "The object id, a GUID.")
  package static let tenantId = Field("tenantId", \Self.tenantId, "A GUID.")

  package static let fields = Fields(
    Self.init, id, tenantId,
    Field("userPrincipalName", \.userPrincipalName, ""), Field(omitting: "displayName", \.displayName, ""),
    Field("mail", \.mail, ""), Field("clock", \.clock, "As in tenant.json."))
}

/// A hold of all wipes.
package struct AnsweredHold: SourceRecord {
  package static let schemaName = "Hold"

  package var why: String
  package var since: String
  package var ordered: Bool

  package init(why: String, since: String, ordered: Bool) {
    (self.why, self.since, self.ordered) = (why, since, ordered)
  }

  package static let fields = Fields(
    Self.init(why:since:ordered:),
    Field("why", \.why, "The reason in words, for the explanations of mambridge."),
    Field("since", \.since, "In RFC 3339."),
    Field(
      "ordered", \.ordered, default: false,
      """
      Whether a wipe of this account is ordered and waits. A source need not list it in operations, where a version of \
      mambridge that knows no hold would carry it out.
      """))
}

/// A wipe that is ordered.
package struct OrderedOperation: SourceRecord {
  package enum Kind: String, MessageWord { case wipe, wipeAndBlock }

  package static let schemaName = "Operation"

  package var id: String
  package var type: Kind

  package static let id = Field("id", \Self.id, "Names the operation; carried out once for each id.")
  package static let type = Field("type", \Self.type, "")

  package static let fields = Fields(Self.init, id, type)
}
