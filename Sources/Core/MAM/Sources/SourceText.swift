import Tenancy

/// The texts about sources outside of this process.
enum SourceText {
  static let notAnswered = "The policy source did not answer about this account. mambridge asks again."
  static let unchangedWithoutEtag = "The policy source says that nothing has changed, but it was asked for everything."
  static let tokenNeeded = "The policy source needs a token of the user. Sign in."
  static let signInCanceled = """
    The user canceled the sign-in at the policy source. Call tenant.checkIn, or the method that asked for the sign-in, \
    when the user wants to sign in.
    """
  static let recreated = """
    The policy source lists a user of this name with another object id: the user was created again, or another user got \
    the name. Nothing was applied or removed. To use the app as the new user, unenroll the account and enroll it again.
    """
  static let otherUser = """
    The policy source answered about a user with another object id or tenant id, so nothing was applied. If the user was created \
    again, unenroll the account and enroll it again.
    """
}

extension TenantAuthentication {
  /// The resource if a policy source names none: the service that policies come from.
  static let usualResource = "https://msmamservice.api.application"
}
