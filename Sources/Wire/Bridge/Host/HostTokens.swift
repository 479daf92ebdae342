import JSON
import JSONRPC
import MAM
import Model
import Support

/// The tokens for the policy source that hosts give.
extension SessionHost {
  var tokenDelegate: TokenDelegate? {
    TokenDelegate.allCases.first { registry.peer(answering: $0.requestName, askedBy: BridgeConnection.current) != nil }
  }

  func token(for request: TokenRequest, from delegate: TokenDelegate) async -> TokenAnswer {
    registry.tokenQuestions.begin(request.account)
    defer { registry.tokenQuestions.end(request.account) }
    let answer: TokenAnswer =
      switch delegate {
      case .getAccessToken:
        await token(GetAccessToken.self, GetAccessToken.Params(request), \.token) { $0.loggedCorrelationId }
      case .acquireToken: await token(AcquireToken.self, AcquireToken.Params(request), \.enrollmentToken)
      }
    if case .token(let given) = answer {
      inspect(AccessToken(token: given.token, expires: given.expires), request.account, delegate.requestName)
    }
    return answer
  }

  /// Unlike `ask`, keeps why there is no answer. The host's texts may be secret, so they are shortened and cleaned.
  private func token<R: HostRequest>(
    _ request: R.Type, _ params: R.Params, _ token: @Sendable (R.Result) -> TokenAnswer,
    correlationId: @Sendable (R.Result) -> String? = { _ in nil }
  ) async -> TokenAnswer {
    guard let peer = registry.peer(answering: R.name, askedBy: BridgeConnection.current) else {
      return .refused("the host that answers \(R.name) has gone")
    }
    let start = ContinuousClock.now
    let answer = await peer.ask(R.name, params: params.jsonBytes, timeout: timeout)
    let duration = ContinuousClock.now - start
    var id: String?
    let result: TokenAnswer
    switch answer {
    case .result(let text):
      let given = read(text, of: request)
      id = given.flatMap(correlationId)
      result = given.map(token) ?? .refused("the host's answer to \(R.name) is invalid")
    case .failure(let code, _) where code == ErrorCode.canceled.number:
      result = .refused("the user canceled \(R.name)")
    case .failure(let code, let message):
      result = .refused("the host answered \(R.name) with error \(code): \(message.harmless)")
    case .unanswered: result = .refused("the host did not answer \(R.name) in time")
    }
    let correlation = id.map { ", correlation id \($0)" } ?? ""
    trace { "host request \(public: R.name): \(public: result.summary)\(public: correlation) (\(duration))" }
    return result
  }

  /// `nil` if the answer is not one of the request; the log says where it is invalid, without the host's text.
  private func read<R: HostRequest>(_ text: ClearedBytes, of request: R.Type) -> R.Result? {
    do {
      return try text.withBytes { try R.Result.decode(JSONNode(scanned: UnsafeRawBufferPointer($0))) }
    } catch let error as JSONDecodingError {
      warn("\(public: R.name): the host's answer is invalid: \(public: error.discreetMessage)")
    } catch {
      warn("\(public: R.name): the host's answer cannot be read")
    }
    return nil
  }
}

/// The requests for a token that hosts have not answered yet.
final class TokenQuestions: Sendable {
  private let accounts = Lock<[Account]>([])

  var open: [Account] { accounts.withLock { $0 } }

  func begin(_ account: Account) {
    accounts.withLock { $0.append(account) }
  }

  /// Call this once for each `begin`.
  func end(_ account: Account) {
    accounts.withLock { accounts in
      if let index = accounts.firstIndex(of: account) { accounts.remove(at: index) }
    }
  }
}

extension TokenDelegate {
  var requestName: String {
    switch self {
    case .getAccessToken: GetAccessToken.name
    case .acquireToken: AcquireToken.name
    }
  }
}

extension TokenAnswer {
  /// The answer for the log, without the token.
  fileprivate var summary: String {
    switch self {
    case .token: "answered with a token"
    case .refused: "no token"
    }
  }
}

extension GetAccessToken.Params {
  fileprivate init(_ request: TokenRequest) {
    self.init(
      accountId: request.account.accountId, identity: request.account.identity, resource: request.resource,
      scopes: request.scopes, registration: AppRegistration(request))
  }
}

extension AcquireToken.Params {
  /// Nobody is asked in the middle of a check-in.
  fileprivate init(_ request: TokenRequest) {
    self.init(
      accountId: request.account.accountId, identity: request.account.identity, resource: request.resource,
      silent: true, registration: AppRegistration(request), scopes: request.scopes)
  }
}

extension AppRegistration {
  fileprivate init(_ request: TokenRequest) {
    self.init(clientId: request.clientId, authorities: request.authorities, redirectUri: request.redirectUri)
  }
}

extension GetAccessToken.Result {
  fileprivate var token: TokenAnswer {
    if let error {
      let reason = error.withBytes { String(harmless: $0) }
      return .refused(reason.isEmpty ? "the host gave no reason" : "the host says: \(reason)")
    }
    guard let accessToken else { return .refused("the host answered without a token") }
    guard let secret = HostSecret(accessToken) else { return .refused("there is no memory for the token") }
    return .token(
      EnrollmentToken(
        token: secret, account: Account(accountId: accountId, identity: identity), tenantId: tenantId, expires: nil,
        mustNameAccount: true))
  }
}

extension GetAccessToken.Result {
  /// What support looks for in the log of the sign-in library. Anything but a GUID may be secret.
  fileprivate var loggedCorrelationId: String? { correlationId.flatMap { $0.isGUID ? $0 : nil } }
}

extension AcquireToken.Result {
  fileprivate var enrollmentToken: TokenAnswer {
    guard let secret = HostSecret(accessToken) else { return .refused("there is no memory for the token") }
    return .token(EnrollmentToken(token: secret, expires: expires))
  }
}

extension String {
  /// See `init(harmless:)`.
  fileprivate var harmless: String {
    var text = self
    return text.withUTF8 { String(harmless: $0) }
  }

  /// The text in one line of at most 200 characters, without its final full stop, and with `***` for everything that
  /// may be a token. Tokens are never copied into a string, whose memory is not cleared.
  init(harmless text: UnsafeBufferPointer<UInt8>) {
    var bytes: [UInt8] = []
    var rest = text[...]
    while let first = rest.first {
      let run = rest.prefix { isOfToken($0) == isOfToken(first) }
      bytes += isOfToken(first) && run.mayBeToken ? Array("***".utf8) : Array(run)
      rest = rest[run.endIndex...]
    }
    let words = String(decoding: bytes, as: UTF8.self).split(whereSeparator: \.isWhitespace)
    let visible = words.joined(separator: " ").unicodeScalars.filter { !$0.isControl }
    let line = String(String.UnicodeScalarView(visible))
    let sentence = line.hasSuffix(".") ? String(line.dropLast()) : line
    self = sentence.count > 200 ? String(sentence.prefix(199)) + "…" : sentence
  }
}

/// The characters of bearer tokens (RFC 6750, section 2.1).
private func isOfToken(_ byte: UInt8) -> Bool {
  byte.isAlphanumeric || "-._~+/=".utf8.contains(byte)
}

extension Slice<UnsafeBufferPointer<UInt8>> {
  /// The length of a GUID, which a support case needs.
  private static let identifierLength = 36
  private static let longestWord = 20

  /// Whether characters of a token are one: they begin like a JSON Web Token, or are longer than words with a digit are.
  fileprivate var mayBeToken: Bool {
    let start = Array("eyJ".utf8)
    if indices.contains(where: { self[$0...].starts(with: start) }) { return true }
    guard count > Self.longestWord, contains(where: \.isDigit) else {
      return count > 2 * Self.longestWord
    }
    return !(count == Self.identifierLength && String(decoding: self, as: UTF8.self).isGUID)
  }
}

extension Unicode.Scalar {
  fileprivate var isControl: Bool { properties.generalCategory == .control || properties.generalCategory == .format }
}
