/// What an attempt to enroll, or a check-in, finds. Of several that hold the first one counts.
///
/// Who the user is comes first, then what the administrator grants, then what this app allows: the text of a status
/// never leads to a step after which another one would still refuse. Only a wipe comes before: that of a user who left,
/// and whose account is disabled, is carried out too.
package enum Finding: String, CaseIterable, Sendable {
  case noNetwork, noSource, damagedSource
  case unlistedUser, wipe, blockedUser, disabledUser, otherMDMUser, unlicensedUser
  case otherAccount
  case newPolicy, samePolicy, noPolicy, nothing

  package var text: String {
    switch self {
    case .noNetwork: "the device has no network"
    case .noSource: "there is no policy source"
    case .damagedSource: "a file of the policy source cannot be read"
    case .unlistedUser: "the source does not list the user"
    case .wipe: "an administrator wipes the user's data"
    case .disabledUser: "the user's account is disabled"
    case .otherMDMUser: "the device is managed for another user"
    case .unlicensedUser: "the user has no license"
    case .blockedUser: "an administrator blocks the user by wipeAndBlock"
    case .otherAccount: "another account is enrolled, and one may be"
    case .newPolicy: "a policy, and it or the enrollment is new"
    case .samePolicy: "a policy, the same as before"
    case .noPolicy: "no policy, but configuration or an enrollment"
    case .nothing: "neither policy nor configuration"
    }
  }
}
