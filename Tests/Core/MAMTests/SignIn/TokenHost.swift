import Model
import Support

@testable import MAM

/// Gives tokens as a test wants, and remembers what it was asked.
final class TokenHost: Host {
  let tokenDelegate: TokenDelegate?
  private let answer: @Sendable (TokenRequest) async -> TokenAnswer
  private let asked = Lock<[TokenRequest]>([])
  private let wiped = Lock(0)

  init(_ delegate: TokenDelegate?, _ answer: @escaping @Sendable (TokenRequest) async -> TokenAnswer) {
    tokenDelegate = delegate
    self.answer = answer
  }

  var requests: [TokenRequest] { asked.withLock { $0 } }
  var wipes: Int { wiped.withLock { $0 } }

  func token(for request: TokenRequest, from delegate: TokenDelegate) async -> TokenAnswer {
    asked.withLock { $0.append(request) }
    return await answer(request)
  }

  func wipeData(of account: Account) async -> Bool {
    wiped.withLock { $0 += 1 }
    return false
  }
}

extension TokenAnswer {
  /// A token of an account that a host names, as getAccessToken answers.
  static func token(
    _ text: String, of account: Account, tenantId: String? = nil, expires: Timestamp? = nil
  ) -> TokenAnswer {
    guard let token = HostSecret(text) else { return .refused("there is no memory for the token") }
    return .token(
      EnrollmentToken(token: token, account: account, tenantId: tenantId, expires: expires, mustNameAccount: true))
  }
}

extension TenantFolder {
  static let authentication = """
    "authentication": {"authority": "https://login.contoso.example/", "resource": "https://mam.contoso.example",
      "scopes": ["https://mam.contoso.example/.default", "openid"], "clientId": "client-1"},
    """

  static func account(_ name: String) -> Account { Account(accountId: id(name), identity: upn(name)) }
}
