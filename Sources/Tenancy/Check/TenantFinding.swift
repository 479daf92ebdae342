/// What in a tenant's folder is not what an administrator will have wanted.
package struct TenantFinding: Hashable, Sendable {
  package enum Kind: String, CaseIterable, Sendable {
    /// A file that cannot be read, parsed or typed.
    case unreadable
    /// A member or a value that reading passes over.
    case ignored
    case bundleIdAmongSchemes
    /// A milder action that a harsher one always comes before.
    case unreachableAction
    /// A minimum above its maximum.
    case impossibleVersion
    case overlappingAssignments
    /// Several policies for one user in one app, which are merged.
    case mergedPolicies
    case policyForNobody
    case unknownGroup, unknownUser
    case userWithoutPolicy
    case fileNotRead
  }

  package let kind: Kind
  /// Relative to the folder.
  package let file: String
  /// Its id, where the finding is about one of the file's.
  package let policy: String?
  package let member: String?
  /// With the innermost of these as its subject.
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
