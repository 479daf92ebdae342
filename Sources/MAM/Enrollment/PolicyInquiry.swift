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

  /// User principal names by object id.
  var directory: [String: String] {
    guard case .success(let tenant) = tenant else { return [:] }
    return Dictionary(
      tenant.users.map { ($0.id.lowercasedASCII, $0.userPrincipalName) }, uniquingKeysWith: { first, _ in first })
  }

  private func answer(for reference: AccountReference, in tenant: TenantSnapshot) -> SourceAnswer {
    guard let user = tenant.user(for: reference) else { return .refusal(.authRequired, EnrollmentText.unlisted) }
    guard user.accountEnabled else { return .refusal(.authRequired, EnrollmentText.disabled) }
    let mdmUser = tenant.mdm.map { tenant.user(for: AccountReference($0.user)) }
    guard mdmUser == nil || mdmUser == user else {
      return .refusal(.mdmEnrolledDifferentUser, EnrollmentText.otherMDMUser)
    }
    guard user.licensed else { return .refusal(.accountNotLicensed, EnrollmentText.unlicensed) }
    return .delivery(delivery(for: user, isMDM: mdmUser != nil, in: tenant))
  }

  private func delivery(for user: TenantUser, isMDM: Bool, in tenant: TenantSnapshot) -> Delivery {
    let targeting = tenant.targeting(user: user, appId: appId, platform: platform)
    let appConfig = AppConfig(
      configurations: targeting.configurations, defaults: targeting.policies.filter { $0.kind == .default },
      mdm: isMDM ? tenant.mdm?.appConfig : nil, tokens: ConfigTokens(user: user, tenantID: tenant.tenantId))
    return Delivery(
      account: Account(accountId: user.id.lowercasedASCII, identity: user.userPrincipalName), isMDM: isMDM,
      policies: targeting.policies, appConfig: appConfig)
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
