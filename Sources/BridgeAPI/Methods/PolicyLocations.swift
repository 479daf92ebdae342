import JSON
import Model

package enum IsSaveToAllowedForLocation: Method {
  package static let name = "policy.isSaveToAllowedForLocation"
  package static let summary = "May this account's data be saved to a location?"
  package static let details = """
    Asked on the policy of the data's owner. A null locationAccount is no user, which is always unmanaged.
    """
  package struct Params: Targeted {
    package var location: SaveLocation
    package var locationAccount: AccountReference?
    package var target: PolicyTarget
    package static let fields = Fields(
      Self.init(location:locationAccount:account:thread:window:),
      Field("location", \.location, "Where the host wants to save."),
      Field("locationAccount", \.locationAccount, "Whose location it is; null where it has no account."),
      Field("account", \.target.account, "The owner of the data; without it the effective identity."),
      Field("thread", \.target.thread, PolicyTarget.threadSummary),
      Field("window", \.target.window, PolicyTarget.windowSummary))
  }
  package typealias Result = Bool
  package static let resultSummary = "Whether it may be saved there."
  package static let errors: [APIError] = .policy
  package static let example = Example(
    Params(location: .oneDriveForBusiness, locationAccount: "alice@contoso.example"), true)
  package static let sdkMembers = [
    "IntuneMAMPolicy -isSaveToAllowedForLocation:withAccountName:",
    "IntuneMAMPolicy -isSaveToAllowedForLocation:withAccountId:",
  ]
}

extension IsSaveToAllowedForLocation.Params {
  package init(
    location: SaveLocation, locationAccount: AccountReference? = nil, account: AccountReference? = nil,
    thread: String? = nil, window: String? = nil
  ) {
    self.init(
      location: location, locationAccount: locationAccount,
      target: PolicyTarget(account: account, thread: thread, window: window))
  }
}

package enum IsOpenFromAllowedForLocation: Method {
  package static let name = "policy.isOpenFromAllowedForLocation"
  package static let summary = "May data from a location be opened into this account's documents?"
  package static let details = """
    Asked on the policy of the receiver. A null locationAccount is no user, which is always unmanaged.
    """
  package struct Params: Targeted {
    package var location: OpenLocation
    package var locationAccount: AccountReference?
    package var target: PolicyTarget
    package static let fields = Fields(
      Self.init(location:locationAccount:account:thread:window:),
      Field("location", \.location, "Where the host wants to open from."),
      Field("locationAccount", \.locationAccount, "Whose location it is; null where it has no account."),
      Field("account", \.target.account, "The receiver; without it the effective identity."),
      Field("thread", \.target.thread, PolicyTarget.threadSummary),
      Field("window", \.target.window, PolicyTarget.windowSummary))
  }
  package typealias Result = Bool
  package static let resultSummary = "Whether it may be opened from there."
  package static let errors: [APIError] = .policy
  package static let example = Example(Params(location: .camera), true)
  package static let sdkMembers = [
    "IntuneMAMPolicy -isOpenFromAllowedForLocation:withAccountName:",
    "IntuneMAMPolicy -isOpenFromAllowedForLocation:withAccountId:",
  ]
}

extension IsOpenFromAllowedForLocation.Params {
  package init(
    location: OpenLocation, locationAccount: AccountReference? = nil, account: AccountReference? = nil,
    thread: String? = nil, window: String? = nil
  ) {
    self.init(
      location: location, locationAccount: locationAccount,
      target: PolicyTarget(account: account, thread: thread, window: window))
  }
}

/// Parameters of the two questions for all locations at once.
package struct LocationsParams: Targeted {
  package var locationAccount: AccountReference?
  package var target: PolicyTarget
  package static let fields = Fields(
    Self.init(locationAccount:account:thread:window:),
    Field("locationAccount", \.locationAccount, "Whose locations they are; null where they have no account."),
    Field("account", \.target.account, PolicyTarget.accountSummary),
    Field("thread", \.target.thread, PolicyTarget.threadSummary),
    Field("window", \.target.window, PolicyTarget.windowSummary))

  package init(
    locationAccount: AccountReference? = nil, account: AccountReference? = nil, thread: String? = nil,
    window: String? = nil
  ) {
    self.locationAccount = locationAccount
    target = PolicyTarget(account: account, thread: thread, window: window)
  }
}

package enum GetSaveToLocations: Method {
  package static let name = "policy.getSaveToLocations"
  package static let summary = "To which locations may this account's data be saved?"
  package typealias Params = LocationsParams
  package typealias Result = LocationPermissions<SaveLocation>
  package static let resultSummary = "For each location, what isSaveToAllowedForLocation answers."
  package static let errors: [APIError] = .policy
  package static let example = Example(
    Params(locationAccount: "alice@contoso.example"), Result(allowed: [.oneDriveForBusiness, .sharePoint]))
  package static let sdkMembers = [
    "IntuneMAMPolicy -getSaveToLocationsForAccount:", "IntuneMAMPolicy -getSaveToLocationsForAccountId:",
  ]
}

package enum GetOpenFromLocations: Method {
  package static let name = "policy.getOpenFromLocations"
  package static let summary = "From which locations may data be opened into this account's documents?"
  package typealias Params = LocationsParams
  package typealias Result = LocationPermissions<OpenLocation>
  package static let resultSummary = "For each location, what isOpenFromAllowedForLocation answers."
  package static let errors: [APIError] = .policy
  package static let example = Example(Params(), Result(allowed: [.camera, .photos]))
  package static let sdkMembers = [
    "IntuneMAMPolicy -getOpenFromLocationsForAccount:", "IntuneMAMPolicy -getOpenFromLocationsForAccountId:",
  ]
}
