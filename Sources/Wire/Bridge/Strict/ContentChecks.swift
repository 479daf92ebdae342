import MAM
import Model

extension IsSaveToAllowedForLocation: StrictlyChecked {
  static func mistakes(in params: Params, on connection: BridgeConnection) -> [StrictFinding] {
    guard AccountLocation.needsAccount(params.location.rawValue, params.locationAccount) else { return [] }
    return [StrictFinding(.saveToLocationMissingOID, params.locationAccount)]
  }
}

extension IsOpenFromAllowedForLocation: StrictlyChecked {
  static func mistakes(in params: Params, on connection: BridgeConnection) -> [StrictFinding] {
    guard AccountLocation.needsAccount(params.location.rawValue, params.locationAccount) else { return [] }
    return [StrictFinding(.openFromLocationMissingOID, params.locationAccount)]
  }
}

/// The locations that always belong to an account.
private enum AccountLocation {
  private static let names: Set = ["oneDriveForBusiness", "sharePoint", "box", "iManage", "egnyte", "accountDocument"]

  /// Whether the location belongs to an account, and the call does not give its object id.
  static func needsAccount(_ location: String, _ account: AccountReference?) -> Bool {
    names.contains(location) && account?.kind != .objectId
  }
}

/// A method that gives a file an owner.
protocol FileOwnerMethod: StrictlyChecked where Params == ProtectParams {}

extension FileOwnerMethod {
  static func mistakesOnDisk(in params: Params, on connection: BridgeConnection) -> [StrictFinding] {
    connection.core.files.isMissing(params.path) ? [StrictFinding(.identityNoSuchFile, params.account)] : []
  }
}

extension ProtectPath: FileOwnerMethod {}
extension VerifyAndProtectPath: FileOwnerMethod {}
extension ProtectFileAtPath: FileOwnerMethod {}

extension EncryptFile: StrictlyChecked {
  static func mistakesOnDisk(in params: Params, on connection: BridgeConnection) -> [StrictFinding] {
    connection.core.files.isMissing(params.path) ? [StrictFinding(.identityNoSuchFile, params.account)] : []
  }
}

extension ReceiveContent: StrictlyChecked {
  static func mistakesOnDisk(in params: Params, on connection: BridgeConnection) -> [StrictFinding] {
    guard let incoming = try? params.incoming() else { return [] }
    let hostSwitches = connection.bridge.hosts.isAnswered(IdentitySwitchRequired.name)
    let found = try? connection.core.receiving.mistakes(
      in: incoming, window: params.window, of: connection.identities, hostSwitches: hostSwitches)
    return (found ?? []).map { StrictFinding($0, params.source.account) }
  }
}

/// A method that hands content of a window to another app.
protocol HandOver: StrictlyChecked where Params: WindowTargeted {}

extension HandOver {
  static func mistakes(in params: Params, on connection: BridgeConnection) -> [StrictFinding] {
    let window = params.shown.window ?? Identities.main
    let state = connection.core.state
    guard let account = params.shown.account else { return [] }
    let identity = connection.identities.effectiveIdentity(window: window)
    let shown = identity.view?.accounts ?? [identity.account ?? state.effective].compactMap(\.self)
    guard account.kind != .noUser else {
      let managed = shown.first { state.policy(of: $0) != nil }
      return managed.map { [StrictFinding(.contentIntentWithoutIdentity, $0)] } ?? []
    }
    let isShown = shown.isEmpty || shown.contains { state.areEqual(account, $0) }
    return isShown ? [] : [StrictFinding(.intentIdentityMismatch, account)]
  }
}

extension OpenURL: HandOver {}
extension FilterShareTargets: HandOver {}
