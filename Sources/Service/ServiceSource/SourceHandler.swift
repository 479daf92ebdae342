// ServiceSource is the policy source that speaks with the tenant service: mambridge starts it as `mambridge-tenant
// source`. To mambridge it answers the protocol of sources, with `SourceHandler`; to the service it sends HTTPS, with
// `TenantServiceClient`.
//
// It keeps a poll open for the registrations that mambridge watches, and tells it when one of them has to check in,
// with `SourcePush`. It keeps secrets of registrations in memory only. How a user signs in is not its business: it
// asks a `SourceSignIn`.

import JSON
import JSONRPC
import Support

/// Answers the requests of mambridge to a policy source (schema/source.openrpc.json) with what a tenant service says.
///
/// Keeps the secrets of watched registrations in memory, and no token longer than a request.
package final class SourceHandler: MethodHandler {
  private struct State {
    var peer: (any Peer)?
    var description: ServiceDescription?
  }

  private let service: TenantServiceClient
  private let signIn: (any SourceSignIn)?
  private let push: SourcePush
  private let state = Lock(State())

  /// Without `signIn`, tokens come from the host alone.
  package convenience init(_ service: TenantServiceClient, signIn: (any SourceSignIn)? = nil) {
    self.init(service, signIn: signIn, push: SourcePush(service))
  }

  init(_ service: TenantServiceClient, signIn: (any SourceSignIn)?, push: SourcePush) {
    (self.service, self.signIn, self.push) = (service, signIn, push)
  }

  package func connectionDidBegin(_ peer: any Peer) {
    state.withLock { $0.peer = peer }
    push.begin { change in _ = peer.notify("source.didChange", params: change) }
  }

  package func connectionDidEnd() { push.end() }

  package func call(
    _ method: String, _ params: JSONNode?, into writer: inout JSONWriter
  ) throws(RPCError) -> Work? {
    switch method {
    case "source.open": return work { [self] () async throws(SourceError) in try await open() }
    case "source.checkIn":
      let checkIn = try SourceCheckIn(Self.required(params))
      return work { [self] () async throws(SourceError) in try await answer(checkIn) }
    case "source.report": return try report(Self.required(params))
    case "source.leave": return try leave(Self.required(params))
    case "source.watch":
      push.watch(try Self.registrations(Self.required(params)))
      writer.null()
      return nil
    case "source.acquireToken":
      guard signIn != nil else { throw RPCError(.methodNotFound) }
      return try acquireToken(Self.required(params))
    default: throw RPCError(.methodNotFound)
    }
  }

  private static func required(_ params: JSONNode?) throws(RPCError) -> JSONNode {
    guard let params else { throw RPCError(.invalidParams, "the params are missing") }
    return params
  }

  /// Runs beside other requests; canceled when the input ends.
  private func work(_ body: @escaping @Sendable () async throws(SourceError) -> [UInt8]) -> Work {
    var work = Work { () async throws(RPCError) in
      do throws(SourceError) {
        return try await body()
      } catch {
        throw error.rpcError
      }
    }
    work.isWaiting = true
    return work
  }
}

extension SourceHandler {
  /// Fails if the service cannot be reached and was not reached before: mambridge opens the source again later, and then
  /// learns which tokens the service takes.
  private func open() async throws(SourceError) -> [UInt8] {
    let description: ServiceDescription
    do throws(SourceError) {
      description = try await service.description()
    } catch {
      guard let known = state.withLock({ $0.description }) else { throw error }
      description = known
    }
    state.withLock { $0.description = description }
    var writer = JSONWriter()
    writer.beginObject()
    writer.member("name", description.name)
    writer.member("protocolVersion", 1)
    writer.name("authentication")
    if let authentication = description.authentication { authentication.encode(to: &writer) } else { writer.null() }
    writer.member("push", description.canPush)
    writer.member("signIn", canSignIn(at: description))
    writer.member("failures", true)
    writer.endObject()
    return writer.bytes
  }

  private func canSignIn(at description: ServiceDescription) -> Bool {
    guard let signIn, let authentication = description.authentication else { return false }
    return signIn.canSignIn(at: authentication)
  }

  private func answer(_ checkIn: SourceCheckIn) async throws(SourceError) -> [UInt8] {
    guard checkIn.hasUsableToken else {
      throw SourceError(.signInNeeded, "The token has characters that no token has. Sign in again.")
    }
    let answer = try await service.checkIn(checkIn.body, token: checkIn.token)
    push.note(checkIn.registration.id, account: checkIn.account, answer)
    return answer.text
  }

  private func report(_ params: JSONNode) throws(RPCError) -> Work {
    let registration = try SourceRegistration(params.member("registration"))
    guard let operation = params.member("operation")?.string, let outcome = params.member("outcome")?.string else {
      throw RPCError(.invalidParams, "operation and outcome must be strings")
    }
    var writer = JSONWriter()
    writer.beginObject()
    writer.member("outcome", outcome)
    for name in ["time", "reason"] {
      if let text = params.member(name)?.string { writer.member(name, text) }
    }
    writer.endObject()
    let body = writer.bytes
    return work { [service] () async throws(SourceError) in
      try await service.report(body, operation: operation, of: registration)
      return Array("null".utf8)
    }
  }

  private func leave(_ params: JSONNode) throws(RPCError) -> Work {
    let registration = try SourceRegistration(params.member("registration"))
    return work { [service] () async throws(SourceError) in
      try await service.leave(registration)
      return Array("null".utf8)
    }
  }

  private static func registrations(_ params: JSONNode) throws(RPCError) -> [SourceRegistration] {
    guard let list = params.member("registrations"), let count = list.elementCount else {
      throw RPCError(.invalidParams, "registrations must be an array")
    }
    var registrations: [SourceRegistration] = []
    for index in 0..<count { registrations.append(try SourceRegistration(list.element(index))) }
    return registrations
  }
}

// MARK: - Sign-in

extension SourceHandler {
  private func acquireToken(_ params: JSONNode) throws(RPCError) -> Work {
    let account = params.member("account")
    let wanted = SourceAccount(
      accountId: account?.member("accountId")?.string, identity: account?.member("identity")?.string)
    let silent = params.member("silent")?.bool ?? true
    let claims = params.member("claims")?.string
    return work { [self] () async throws(SourceError) in
      try await token(for: wanted, silent: silent, claims: claims)
    }
  }

  private func token(for account: SourceAccount, silent: Bool, claims: String?) async throws(SourceError) -> [UInt8] {
    let (known, peer) = state.withLock { ($0.description, $0.peer) }
    let description = if let known { known } else { try await service.description() }
    guard let signIn, let authentication = description.authentication else {
      throw SourceError(.signInNeeded, "The service takes no tokens.")
    }
    let token = try await signIn.token(for: account, at: authentication, silent: silent, claims: claims) { prompt in
      guard let peer else { return false }
      // mambridge may be slow to answer; only an error says that nobody sees the prompt.
      let answer = await peer.ask("source.prompt", params: prompt.params, timeout: Self.promptPatience)
      if case .failure = answer { return false }
      return true
    }
    var writer = JSONWriter()
    writer.beginObject()
    writer.member("accessToken", token.accessToken)
    writer.member("expires", "\(token.expires)")
    writer.endObject()
    return writer.bytes
  }

  /// For showing a prompt, not for what the person does then.
  private static let promptPatience = Duration.seconds(10)
}

extension SignInPrompt {
  fileprivate var params: [UInt8] {
    var writer = JSONWriter()
    writer.beginObject()
    writer.member("verificationUri", verificationUri)
    writer.member("userCode", userCode)
    writer.member("message", message)
    writer.member("expires", "\(expires)")
    writer.endObject()
    return writer.bytes
  }
}
