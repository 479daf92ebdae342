/// The finding of an enrollment or a check-in. If several apply, the first one counts.
///
/// The order is: who the user is, what the administrator grants, what this app allows. A user who does what the text of a
/// status says therefore never meets an earlier refusal afterwards. Wipes are the exception and come earlier, so that the
/// data of a disabled user is wiped too.
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
    case .unlistedUser: "the policy source does not list the user"
    case .wipe: "an administrator requested a wipe of the user's data"
    case .disabledUser: "the user's account is disabled"
    case .otherMDMUser: "the device is managed for another user"
    case .unlicensedUser: "the user has no license"
    case .blockedUser: "an administrator blocks the user (wipeAndBlock)"
    case .otherAccount: "another account is enrolled, and only one is allowed"
    case .newPolicy: "a policy, and the policy or the enrollment is new"
    case .samePolicy: "the same policy as before"
    case .noPolicy: "no policy, but a configuration or an existing enrollment"
    case .nothing: "neither a policy nor a configuration"
    }
  }
}
