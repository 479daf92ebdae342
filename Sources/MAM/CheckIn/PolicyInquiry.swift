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
  /// Whether the settings allow several accounts.
  let wantsSeveral: Bool
  /// The tokens that were asked for, and the refusals.
  let tokens: TokenGrants

  /// Whether several accounts may be enrolled: the management of the device can forbid it.
  var allowsSeveral: Bool { wantsSeveral && !isConfined }

  private var isConfined: Bool { snapshot?.isConfined ?? false }

  /// Whether an account that is not enrolled may enroll. `others` says whether another account is enrolled.
  func place(beside others: Bool) -> EnrollmentPlace {
    guard others, !allowsSeveral else { return .free }
    return wantsSeveral ? .confined : .taken
  }

  /// How the device is managed, from the point of view of a user. An account beside that of the device's user is
  /// managed in this app only.
  func managementLevel(of user: TenantUser, in tenant: TenantSnapshot) -> AppManagementLevel {
    allowsSeveral && !tenant.isDeviceUser(user) ? .unmanaged : tenant.managementLevel
  }

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
    if let refusal = tokens.refusal(for: user.account) { return .refusal(.noToken, refusal) }
    if tenant.mdm != nil, device.device.platform == .windows { return .delivery(managedWindows(user, in: tenant)) }
    if tenant.mdm != nil, !tenant.isDeviceUser(user), !allowsSeveral {
      return .refusal(.otherMDMUser, EnrollmentText.otherMDMUser)
    }
    guard user.isLicensed else { return .refusal(.unlicensedUser, EnrollmentText.unlicensed) }
    return .delivery(delivery(for: user, in: tenant))
  }

  /// App protection on Windows ends when the device becomes managed: no policy applies any longer.
  private func managedWindows(_ user: TenantUser, in tenant: TenantSnapshot) -> Delivery {
    var delivery = delivery(for: user, in: tenant)
    delivery.content.policies = []
    delivery.barsEnrollment = true
    return delivery
  }

  private func delivery(for user: TenantUser, in tenant: TenantSnapshot) -> Delivery {
    let targeting = tenant.targeting(
      of: user, app: appId, platform: device.device.platform, managementLevel: managementLevel(of: user, in: tenant))
    return Delivery(
      account: user.account, tenantId: tenant.tenantId, isMDM: tenant.isDeviceUser(user),
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

/// Whether an account that is not enrolled may enroll beside those that are.
enum EnrollmentPlace: Sendable {
  case free
  /// Another account is enrolled, and the settings allow only one.
  case taken
  /// Another account is enrolled, and the management of the device allows only one, whatever the settings say.
  case confined

  /// Why the account may not enroll.
  var text: String { self == .confined ? EnrollmentText.confined : EnrollmentText.singleAccount }
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
  var content: DeliveryContent
  let clock: ClockEntry?
  /// Whether the device cannot be enrolled as it is managed now.
  var barsEnrollment = false
}
