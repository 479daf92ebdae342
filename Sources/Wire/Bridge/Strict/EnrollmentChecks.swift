import MAM
import Model

extension RegisterAndEnrollAccount: StrictlyChecked {
  static func mistakes(in params: Params, on connection: BridgeConnection) -> [StrictFinding] {
    let hosts = connection.bridge.hosts
    guard ![GetAccessToken.name, AcquireToken.name].contains(where: hosts.isAnswered) else { return [] }
    return [StrictFinding(.authenticationCallbackNotRegistered, params.account)]
  }

  static func mistakes(shownBy result: EnrollmentStatus, of params: Params) -> [StrictFinding] {
    result.mistakes(about: params.account)
  }
}

extension LoginAndEnrollAccount: StrictlyChecked {
  static func mistakes(shownBy result: EnrollmentStatus, of params: Params) -> [StrictFinding] {
    result.mistakes(about: params.account)
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
    guard connection.isAskedForToken(of: params.account) else { return [] }
    return [StrictFinding(.updateTokenWithinAcquireToken, params.account)]
  }

  /// The policy source says which resource its tokens are for.
  static func mistakesOnDisk(in params: Params, on connection: BridgeConnection) -> [StrictFinding] {
    let isToken = HostSecret(params.accessToken)?.hasFormOfToken ?? true
    let isForSource = params.resource == connection.core.tokens.resource
    guard !isToken || !isForSource || params.account.kind == .noUser else { return [] }
    return [StrictFinding(.invalidMAMServiceToken, params.account)]
  }
}

extension PrimaryUser: StrictlyChecked {
  static func mistakes(in params: Params, on connection: BridgeConnection) -> [StrictFinding] {
    connection.mistakesOfOneAccount
  }
}

extension EnrolledAccount: StrictlyChecked {
  static func mistakes(in params: Params, on connection: BridgeConnection) -> [StrictFinding] {
    connection.mistakesOfOneAccount
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

extension EnrollmentStatus {
  fileprivate func mistakes(about account: AccountReference?) -> [StrictFinding] {
    statusCode.registeredStatus == .wrongUser ? [StrictFinding(.registerAccountWrongUser, account)] : []
  }
}

extension BridgeConnection {
  /// Of a method that knows only one account, in an app that has several.
  fileprivate var mistakesOfOneAccount: [StrictFinding] {
    isForSeveralAccounts ? [StrictFinding(.deprecatedAPI)] : []
  }

  /// Whether a host is being asked for a token of the account now.
  fileprivate func isAskedForToken(of account: AccountReference) -> Bool {
    let state = core.state
    return bridge.hosts.tokenQuestions.open.contains { asked in
      [asked.accountId, asked.identity].contains { name in
        name.map { state.areEqual(AccountReference($0), account) } ?? false
      }
    }
  }

  fileprivate var isForSeveralAccounts: Bool { core.state.allowsSeveralAccounts }
}
