import JSON
import Model

package enum GetAllowedAccounts: Method {
  package static let name = "enrollmentManager.allowedAccounts"
  package static let summary = "The accounts that the administrator allows in the app."
  package static let details = """
    As of the last answer of the policy source. When the device's management sets IntuneMAMAllowedAccountsOnly to \
    Enabled, its user alone.
    """
  package typealias Params = NoParameters
  package typealias Result = [Account]?
  package static let resultSummary = "The accounts; null when every account is allowed."
  package static let errors: [APIError] = .store
  package static let example = Example<Params, Result>([.example])
  package static let sdkMembers = [
    "IntuneMAMEnrollmentManager -allowedAccounts", "IntuneMAMEnrollmentManager -allowedAccountIds",
  ]
}

package enum MDMEnrolledAccount: Method {
  package static let name = "enrollmentManager.mdmEnrolledAccount"
  package static let summary = "The user for whom the device is managed as a whole."
  package static let details = """
    Made from IntuneMAMUPN and IntuneMAMOID in the configuration that the device's management delivers, as the policy \
    source has it now.
    """
  package typealias Params = NoParameters
  package typealias Result = Account?
  package static let resultSummary = "The account; null when the device is not managed, or the source cannot be read."
  package static let example = Example<Params, Result>(.example)
  package static let sdkMembers = [
    "IntuneMAMEnrollmentManager -mdmEnrolledAccount", "IntuneMAMEnrollmentManager -mdmEnrolledAccountId",
    "IntuneMAMEnrollmentManager -mdmEnrolledAccountIdWithCompletion:",
  ]
}
