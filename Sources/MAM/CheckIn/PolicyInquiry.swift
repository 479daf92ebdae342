import Model
import Policy
import Support
import Tenancy

/// The policy source as it was read once, to answer for any number of accounts.
struct PolicyInquiry: Sendable {
  /// `nil` without a network.
  let tenant: Result<TenantSnapshot, TenantError>?
  let appId: String
  let device: DeviceRecord
  /// The SDK level of the caller, which decides how statuses are read.
  var level = SDKLevel.sdk19

  /// The answer of the source: the first finding that applies. `begun` contains the single wipes that must not begin
  /// again.
  func answer(for reference: AccountReference, begun: Set<BegunOperation>) -> SourceAnswer {
    switch tenant {
    case nil: .refusal(.noNetwork, EnrollmentText.noNetwork)
    case .failure(let error): .refusal(error.finding, error.description)
    case .success(let tenant): answer(for: reference, in: tenant, begun)
    }
  }

  /// The users that the source lists.
  var directory: AccountDirectory {
    guard let snapshot else { return AccountDirectory([:]) }
    return AccountDirectory(
      Dictionary(
        snapshot.users.map { ($0.id.lowercasedASCII, $0.userPrincipalName) }, uniquingKeysWith: { first, _ in first }))
  }

  /// The content of the source; `nil` if it was not read.
  var snapshot: TenantSnapshot? {
    if case .success(let snapshot)? = tenant { snapshot } else { nil }
  }

  /// What was ignored in the source.
  var warnings: [PolicyWarning] {
    snapshot?.warnings ?? []
  }

  private func answer(
    for reference: AccountReference, in tenant: TenantSnapshot, _ begun: Set<BegunOperation>
  ) -> SourceAnswer {
    guard let user = tenant.user(for: reference) else { return .refusal(.unlistedUser, EnrollmentText.unlisted) }
    if let order = tenant.wipeOrder(for: user, in: appId, begun: begun) { return .wipe(order) }
    guard user.isEnabled else { return .refusal(.disabledUser, EnrollmentText.disabled) }
    if let mdm = tenant.mdm, tenant.user(for: mdm.user) != user {
      return .refusal(.otherMDMUser, EnrollmentText.otherMDMUser)
    }
    guard user.isLicensed else { return .refusal(.unlicensedUser, EnrollmentText.unlicensed) }
    return .delivery(delivery(for: user, in: tenant))
  }

  private func delivery(for user: TenantUser, in tenant: TenantSnapshot) -> Delivery {
    let targeting = tenant.targeting(
      of: user, app: appId, platform: device.device.platform, managementLevel: tenant.managementLevel)
    return Delivery(
      account: user.account, tenantId: tenant.tenantId, isMDM: tenant.mdm != nil,
      content: DeliveryContent(
        policies: targeting.policies, appConfig: tenant.appConfig(of: user, targeting),
        certificatePins: tenant.certificatePins),
      clock: user.clock.map(ClockEntry.init))
  }
}

extension TenantError {
  fileprivate var finding: Finding {
    switch self {
    case .missing: .noSource
    case .unparsable: .damagedSource
    }
  }
}

extension ClockEntry {
  fileprivate init(_ entry: TenantUser.ClockEntry) {
    self.init(status: entry.status, updated: entry.updated.flatMap { Timestamp($0) })
  }
}

/// What the policy source says about an account, independent of the stored state.
enum SourceAnswer: Sendable {
  case delivery(Delivery)
  /// The source delivers nothing; the text says why and what to do.
  case refusal(Finding, String)
  /// Everything that the app holds of the account is wiped, whatever else applies to the account.
  case wipe(WipeOrder)
}

/// What the policy source delivers for an account in this app.
struct Delivery: Sendable {
  /// The account, with its names as the source writes them.
  let account: Account
  let tenantId: String
  let isMDM: Bool
  let content: DeliveryContent
  let clock: ClockEntry?
}
