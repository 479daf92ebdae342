import MAM
import Model

extension RegisterAndEnrollAccount: StrictlyChecked {
  static func mistakes(in params: Params, on connection: BridgeConnection) -> [StrictFinding] {
    let hosts = connection.bridge.hosts
    // The first name is that of the SDK since 21.7.1.
    guard !["enrollmentDelegate.getAccessToken", AcquireToken.name].contains(where: hosts.isAnswered) else { return [] }
    return [StrictFinding(.authenticationCallbackNotRegistered, params.account)]
  }

  static func mistakes(shownBy result: EnrollmentStatus, of params: Params) -> [StrictFinding] {
    result.statusCode.registeredStatus == .wrongUser ? [StrictFinding(.registerAccountWrongUser, params.account)] : []
  }
}

extension LoginAndEnrollAccount: StrictlyChecked {
  static func mistakes(shownBy result: EnrollmentStatus, of params: Params) -> [StrictFinding] {
    result.statusCode.registeredStatus == .wrongUser ? [StrictFinding(.registerAccountWrongUser, params.account)] : []
  }
}

extension DeRegisterAndUnenrollAccount: StrictlyChecked {
  static func mistakes(in params: Params, on connection: BridgeConnection) -> [StrictFinding] {
    guard let account = params.account, connection.isAskedForToken(of: account) else { return [] }
    return [StrictFinding(.unregisterAccountWithinAcquireToken, account)]
  }
}

extension UpdateToken: StrictlyChecked {
  static func mistakes(in params: Params, on connection: BridgeConnection) -> [StrictFinding] {
    var findings: [StrictFinding] = []
    if connection.isAskedForToken(of: params.account) {
      findings.append(StrictFinding(.updateTokenWithinAcquireToken, params.account))
    }
    let isToken = HostSecret(params.accessToken)?.hasFormOfToken ?? true
    if !isToken || params.resource != Login.resource || params.account.kind == .noUser {
      findings.append(StrictFinding(.invalidMAMServiceToken, params.account))
    }
    return findings
  }
}

extension PrimaryUser: StrictlyChecked {
  static func mistakes(in params: Params, on connection: BridgeConnection) -> [StrictFinding] {
    connection.isForSeveralAccounts ? [StrictFinding(.deprecatedAPI)] : []
  }
}

extension EnrolledAccount: StrictlyChecked {
  static func mistakes(in params: Params, on connection: BridgeConnection) -> [StrictFinding] {
    connection.isForSeveralAccounts ? [StrictFinding(.deprecatedAPI)] : []
  }
}

extension GetSettings: StrictlyChecked {
  static func mistakes(in params: Params, on connection: BridgeConnection) -> [StrictFinding] {
    DeprecatedSetting.findings(in: params.names?.map(\.name) ?? [])
  }
}

extension SetSettings: StrictlyChecked {
  static func mistakes(in params: Params, on connection: BridgeConnection) -> [StrictFinding] {
    DeprecatedSetting.findings(in: params.values.names)
  }
}

/// The old name of a setting that the SDK now has under another name.
private enum DeprecatedSetting {
  private static let name = "MultipleManagedAccounts"

  static func findings(in names: [String]) -> [StrictFinding] {
    names.contains { $0.lowercased() == name.lowercased() } ? [StrictFinding(.deprecatedAPI)] : []
  }
}

extension BridgeConnection {
  /// Whether a host is being asked for a token of the account now.
  fileprivate func isAskedForToken(of account: AccountReference) -> Bool {
    let state = core.state
    return bridge.hosts.tokenQuestions.open.contains { asked in
      [asked.accountId, asked.identity].contains { name in
        name.map { state.areEqual(AccountReference($0), account) } ?? false
      }
    }
  }

  fileprivate var isForSeveralAccounts: Bool { core.state.settings.bool(.multipleManagedAccounts) }
}
