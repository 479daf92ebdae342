import JSON
import Model

package enum RegisterAndEnrollAccount: Method {
  package static let name = "enrollmentManager.registerAndEnrollAccount"
  package static let summary = "Registers an account and enrolls it: fetches its policy and app configuration."
  package static let details = """
    Answered when the attempt is complete. A failed enrollment is a result with didSucceed false; the account stays \
    registered. Commit point: the store's transaction.
    """
  package struct Params: Record {
    package var account: AccountReference?
    package static let fields = Fields(
      Self.init(account:), Field(required: "account", \.account, "The account; null ends with status 207."))
  }
  package typealias Result = EnrollmentStatus
  package static let resultSummary = "How the attempt ended."
  package static let errors: [APIError] = .store
  package static let example = Example(Params(account: "alice@contoso.example"), EnrollmentStatus.exampleEnrolled)
  package static let sdkMembers = [
    "IntuneMAMEnrollmentManager -registerAndEnrollAccount:",
    "IntuneMAMEnrollmentManager -registerAndEnrollAccountId:",
  ]
}

package enum DeRegisterAndUnenrollAccount: Method {
  package static let name = "enrollmentManager.deRegisterAndUnenrollAccount"
  package static let summary = "Unenrolls an account and forgets it: its policy and configuration are gone."
  package static let details = """
    Answered when the operation is complete. Commit point: the store's transaction.

    With a wipe the account's keys of this app are destroyed first. Then the host is asked by \
    policyDelegate.wipeDataForAccount; unless it says that it has removed all, the core removes the files that belong \
    to the account. policyManager.wipeDidComplete and enrollmentDelegate.unenrollRequestWithStatus tell the end. Whatever \
    interrupts it, the next start goes on; what cannot be removed is status 215, which names it, and is tried again. \
    Tells its progress. docs/account-life.md has the steps.
    """
  package struct Params: Record {
    package var account: AccountReference?
    package var withWipe: Bool
    package static let fields = Fields(
      Self.init(account:withWipe:), Field(required: "account", \.account, "The account; null ends with status 207."),
      Field(
        "withWipe", \.withWipe, default: false,
        "Whether the keys that this app has of the account are destroyed and its files removed, too."))
  }
  package typealias Result = EnrollmentStatus
  package static let resultSummary = """
    How it ended: 104 when done, 215 when a wipe is not done yet, 213 or 214 when there was nothing to do.
    """
  package static let errors: [APIError] = .store
  package static let example = Example(
    Params(account: "alice@contoso.example", withWipe: false),
    EnrollmentStatus(
      accountId: Account.example.accountId, identity: Account.example.identity, statusCode: .unenrollmentSuccess))
  package static let sdkMembers = [
    "IntuneMAMEnrollmentManager -deRegisterAndUnenrollAccount:withWipe:",
    "IntuneMAMEnrollmentManager -deRegisterAndUnenrollAccountId:withWipe:",
  ]
}

package enum RegisteredAccounts: Method {
  package static let name = "enrollmentManager.registeredAccounts"
  package static let summary = "The accounts that are registered, enrolled or not."
  package typealias Params = NoParameters
  package typealias Result = [Account]
  package static let resultSummary = "The accounts, in the order of their registration."
  package static let errors: [APIError] = .store
  package static let example = Example(Result([.example]))
  package static let sdkMembers = [
    "IntuneMAMEnrollmentManager -registeredAccounts", "IntuneMAMEnrollmentManager -registeredAccountIds",
  ]
}

package enum EnrolledAccount: Method {
  package static let name = "enrollmentManager.enrolledAccount"
  package static let summary = "The first account that was enrolled."
  package typealias Params = NoParameters
  package typealias Result = Account?
  package static let resultSummary = "The account; null when none is enrolled."
  package static let errors: [APIError] = .store
  package static let example = Example<Params, Result>(.example)
  package static let sdkMembers = [
    "IntuneMAMEnrollmentManager -enrolledAccount", "IntuneMAMEnrollmentManager -enrolledAccountId",
  ]
}

package enum EnrolledAccounts: Method {
  package static let name = "enrollmentManager.enrolledAccounts"
  package static let summary = "All accounts that are enrolled."
  package typealias Params = NoParameters
  package typealias Result = [Account]
  package static let resultSummary = "The accounts, in the order of their registration."
  package static let errors: [APIError] = .store
  package static let example = Example(Result([.example]))
  package static let sdkMembers = ["IntuneMAMEnrollmentManager -enrolledAccountIds"]
}
