import Model

/// One reading of the policy source, asked about any number of accounts.
struct PolicyInquiry: Sendable {
  let tenant: Result<TenantSnapshot, TenantError>
  let appId: String
  let platform: DevicePlatform

  func answer(for reference: AccountReference) -> SourceAnswer {
    switch tenant {
    case .failure(let error): .refusal(error.statusCode, error.description)
    case .success(let tenant): answer(for: reference, in: tenant)
    }
  }

  /// The users that the source lists.
  var directory: AccountDirectory {
    guard case .success(let tenant) = tenant else { return AccountDirectory([:]) }
    return AccountDirectory(
      Dictionary(
        tenant.users.map { ($0.id.lowercasedASCII, $0.userPrincipalName) }, uniquingKeysWith: { first, _ in first }))
  }

  private func answer(for reference: AccountReference, in tenant: TenantSnapshot) -> SourceAnswer {
    guard let user = tenant.user(for: reference) else { return .refusal(.authRequired, EnrollmentText.unlisted) }
    guard user.isEnabled else { return .refusal(.authRequired, EnrollmentText.disabled) }
    let mdmUser = tenant.mdm.map { tenant.user(for: $0.user) }
    guard mdmUser == nil || mdmUser == user else {
      return .refusal(.mdmEnrolledDifferentUser, EnrollmentText.otherMDMUser)
    }
    guard user.isLicensed else { return .refusal(.accountNotLicensed, EnrollmentText.unlicensed) }
    return .delivery(delivery(for: user, isMDM: mdmUser != nil, in: tenant))
  }

  private func delivery(for user: TenantUser, isMDM: Bool, in tenant: TenantSnapshot) -> Delivery {
    let targeting = tenant.targeting(
      of: user, app: appId, platform: platform, managementLevel: isMDM ? .mdm : .unmanaged)
    return Delivery(
      account: user.account, tenantId: tenant.tenantId, isMDM: isMDM,
      policies: targeting.policies, appConfig: tenant.appConfig(of: user, targeting))
  }
}

extension TenantError {
  var statusCode: EnrollmentStatusCode {
    switch self {
    case .missing: .locationServiceFailure
    case .unparsable: .parsingFailure
    }
  }
}
