/// What a failed enrollment says: the likely cause and the way out.
enum EnrollmentText {
  static let nilAccount = "No account was given."
  static let alreadyEnrolled = "The account is enrolled already; nothing was done."
  static let singleAccount = """
    Another account is enrolled, and one may be. Unenroll that one, or set MultipleManagedAccounts to true.
    """
  static let notTargeted = """
    The user is licensed, but no policy and no configuration is assigned to this user in this app. Check the groups \
    of the user and the apps of the policy; tenant.status tells which policies were considered and why they were not \
    applied.
    """
  static let unlisted = """
    The tenant does not list this user. Check the spelling, or add the user to "users" in tenant.json.
    """
  static let disabled = "The user's account is disabled. Set accountEnabled to true in tenant.json."
  static let wiped = """
    An administrator wipes this user's data in this app, once. The account can be enrolled again afterwards.
    """
  static let wiping = """
    The data of the account is being wiped. Call again when policyManager.wipeDidComplete has been sent.
    """
  static let unlicensed = "The user has no license. Set licensed to true in tenant.json."
  static let otherMDMUser = "The device is managed for another user: only that one can enroll (\"mdm\" in tenant.json)."
  static let blocked = """
    An administrator wipes this user's data in this app and blocks it. Take the wipeAndBlock operation out of \
    "operations" in tenant.json.
    """
  static let noNetwork = """
    The device has no network (device.networkAvailable is false); it is tried again. Tell when there is one: device.set.
    """
  static let notEnrolled = """
    The account is not registered in this app: another one was meant, or it was unenrolled before. \
    enrollmentManager.registeredAccounts lists those that are; to register it, call \
    enrollmentManager.registerAndEnrollAccount.
    """
  static let nobodyEnrolled = """
    No account is enrolled in this app, and this one is not registered. Call \
    enrollmentManager.registerAndEnrollAccount first.
    """
  static let loginCanceled = """
    The user canceled the sign-in; nothing was tried. Call enrollmentManager.loginAndEnrollAccount again when the user \
    wants to sign in.
    """
}
