/// Something in a tenant's folder that the administrator probably did not intend.
package struct TenantFinding: Hashable, Sendable {
  package enum Kind: String, CaseIterable, Sendable {
    /// A file that cannot be read or parsed, or has an object of an unknown type.
    case unreadable
    /// A member or a value that is ignored.
    case ignored
    /// A setting that has no effect, because only policies for another platform have it.
    case otherPlatform
    /// A member that mambridge does not know, with a value that may restrict.
    case unknownRestriction
    /// A setting that has no effect because of another setting of the same policy.
    case voidSetting
    case bundleIdAmongSchemes
    /// An exempt scheme that another setting is meant to restrict.
    case exemptionWins
    /// A key that steers the SDK, in a configuration that the SDK does not read it from.
    case keyInWrongChannel
    /// A mild action that never happens because a harsher one always comes first.
    case unreachableAction
    /// A minimum above its maximum.
    case impossibleVersion
    case overlappingAssignments
    /// Several policies that are merged for one user in one app.
    case mergedPolicies
    case policyForNobody
    case unknownGroup, unknownUser
    /// A user who has the name of another one, so that nobody finds the user by name.
    case sharedName
    case userWithoutPolicy
    case fileNotRead
  }

  package let kind: Kind
  /// The path relative to the folder.
  package let file: String
  /// The id of the policy; `nil` if the finding is about the whole file.
  package let policy: String?
  package let member: String?
  /// A predicate of the member, policy or file, whichever is most specific, or else a sentence.
  package let text: String

  init(_ kind: Kind, _ file: String, policy: String? = nil, member: String? = nil, text: String) {
    self.kind = kind
    self.file = file
    self.policy = policy
    self.member = member
    self.text = text
  }

  package var line: String { [file, policy, member, text].compactMap { $0 }.joined(separator: ": ") }
}
