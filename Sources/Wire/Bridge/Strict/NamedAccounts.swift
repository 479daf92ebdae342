import JSON
import MAM
import Model

/// The accounts that a call names, and the checks of every call that can name one.
enum NamedAccounts {
  /// The parameters that hold accounts, in themselves or inside.
  private static let parameters = ["account", "accounts", "locationAccount", "source", "from", "targets"]

  /// The SDK itself keeps user principal names in these methods.
  private static let methodsForNames: Set = [LoginAndEnrollAccount.name, AADAuthorityURIs.name]

  static func areNamed<M: Method>(by method: M.Type) -> Bool {
    M.Params.self is any Targeted.Type || M.Params.fields.names.contains(where: parameters.contains)
  }

  static func mistakes<M: Method>(
    in node: JSONNode?, _ params: M.Params, of method: M.Type, on connection: BridgeConnection
  ) -> [StrictFinding] {
    var findings: [StrictFinding] = []
    if !methodsForNames.contains(M.name) {
      let names = references(in: node, of: method).filter { $0.kind == .userPrincipalName }
      findings += names.first.map { [StrictFinding(.upnIdentityParam, $0)] } ?? []
    }
    if let target = (params as? any Targeted)?.target, connection.hasNoIdentity(for: target) {
      findings.append(StrictFinding(.unmanagedContextFound))
    }
    return findings
  }

  /// The host's name for the thread of the call.
  static func thread<M: Method>(in node: JSONNode?, of method: M.Type) -> String {
    parameter("thread", in: node, of: method)?.string ?? Identities.main
  }

  /// Never reads other parameters, which may be secret.
  private static func references<M: Method>(in node: JSONNode?, of method: M.Type) -> [AccountReference] {
    parameters.flatMap { name in parameter(name, in: node, of: method).map { texts(in: $0) } ?? [] }
      .map { AccountReference($0) }
  }

  private static func texts(in node: JSONNode) -> [String] {
    if let text = node.string { return [text] }
    if let member = node.member("account") { return texts(in: member) }
    return (0..<(node.elementCount ?? 0)).compactMap { node.element($0) }.flatMap { texts(in: $0) }
  }

  private static func parameter<M: Method>(_ name: String, in node: JSONNode?, of method: M.Type) -> JSONNode? {
    guard let node else { return nil }
    guard let count = node.elementCount else { return node.member(name) }
    guard let index = M.Params.fields.names.firstIndex(of: name), index < count else { return nil }
    return node.element(index)
  }
}

extension BridgeConnection {
  /// Whether no account is named or set although the app has managed accounts, so that nothing is restricted.
  fileprivate func hasNoIdentity(for target: PolicyTarget) -> Bool {
    guard target.account == nil, target.accounts == nil else { return false }
    let state = core.state
    guard state.effectiveAccount == nil, !state.managedAccounts.isEmpty else { return false }
    let identity = identities.effectiveIdentity(thread: target.thread, window: target.window)
    return identity.account == nil && identity.view == nil
  }
}
