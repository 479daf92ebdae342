import Model

/// One reading of the policy source, asked about any number of accounts.
struct PolicyInquiry: Sendable {
  let tenant: Result<TenantSnapshot, TenantError>
  let appId: String
  let platform: DevicePlatform

  /// Its part of the table at `EnrollmentDecision`.
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

  /// What in the source was ignored.
  var warnings: [PolicyWarning] {
    if case .success(let tenant) = tenant { tenant.warnings } else { [] }
  }

  private func answer(for reference: AccountReference, in tenant: TenantSnapshot) -> SourceAnswer {
    guard let user = tenant.user(for: reference) else { return .refusal(.authRequired, EnrollmentText.unlisted) }
    guard user.isEnabled else { return .refusal(.authRequired, EnrollmentText.disabled) }
    if let mdm = tenant.mdm, tenant.user(for: mdm.user) != user {
      return .refusal(.mdmEnrolledDifferentUser, EnrollmentText.otherMDMUser)
    }
    guard user.isLicensed else { return .refusal(.accountNotLicensed, EnrollmentText.unlicensed) }
    return .delivery(delivery(for: user, in: tenant))
  }

  private func delivery(for user: TenantUser, in tenant: TenantSnapshot) -> Delivery {
    let targeting = tenant.targeting(
      of: user, app: appId, platform: platform, managementLevel: tenant.managementLevel)
    return Delivery(
      account: user.account, tenantId: tenant.tenantId, isMDM: tenant.mdm != nil,
      policies: targeting.policies, appConfig: tenant.appConfig(of: user, targeting))
  }
}

extension TenantSnapshot {
  /// How the device is managed.
  var managementLevel: AppManagementLevel { mdm == nil ? .unmanaged : .mdm }
}

extension TenantError {
  var statusCode: EnrollmentStatusCode {
    switch self {
    case .missing: .locationServiceFailure
    case .unparsable: .parsingFailure
    }
  }
}

extension Core {
  /// Reads the policy source anew.
  func inquiry() -> PolicyInquiry {
    PolicyInquiry(tenant: configuration.tenant.read(), appId: configuration.stateFolder.appId, platform: .ios)
  }
}
