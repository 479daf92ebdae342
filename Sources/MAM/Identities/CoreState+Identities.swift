import Model

extension CoreState {
  /// With both halves as far as they are known.
  package func named(_ reference: AccountReference) -> Account {
    account(reference)?.account ?? directory.account(of: reference)
  }

  /// The identity of the process: what was set, in a single identity app else the enrolled account.
  package func processIdentity(_ identity: AccountReference?) -> Account? {
    identity.map(named) ?? effectiveAccount?.account
  }

  /// Whether the device is known to have a managed app for a scheme in lower case.
  package func isSchemeOfManagedApp(_ scheme: String) -> Bool {
    device.managedAppSchemes.contains { $0.lowercasedASCII == scheme }
  }

  /// Whether a window may show the account beside the enrolled ones: one account of a tenant is enough, unless the
  /// setting MultipleManagedAccounts says otherwise.
  func mayShow(_ reference: AccountReference) -> Bool {
    guard !settings.bool(.multipleManagedAccounts), reference.kind != .noUser else { return true }
    let known = account(reference)
    guard known?.isEnrolled != true else { return true }
    let (tenant, domain) = (known?.tenantId, named(reference).domain)
    return !enrolledAccounts.contains { enrolled in
      (tenant != nil && tenant == enrolled.tenantId) || (domain != nil && domain == enrolled.account.domain)
    }
  }
}

extension Account {
  /// That of the user principal name, in lower case.
  fileprivate var domain: String? {
    guard let identity, let sign = identity.lastIndex(of: "@") else { return nil }
    return String(identity[identity.index(after: sign)...]).lowercasedASCII
  }
}
