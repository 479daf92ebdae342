// ServiceSource is the policy source that speaks with the tenant service: mambridge starts it as `mambridge-tenant
// source`. To mambridge it answers the protocol of sources, with `SourceHandler`; to the service it sends HTTPS, with
// `TenantServiceClient`.
//
// It keeps a poll open for the registrations that mambridge watches, and tells it when one of them has to check in,
// with `SourcePush`. It keeps secrets of registrations in memory only. How a user signs in is not its business: it
// asks a `SourceSignIn`.

import JSON
import JSONRPC
import SourceProtocol
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
    push.begin { change in _ = peer.notify(ToBridge.DidChange.name, params: change.jsonBytes) }
  }

  package func connectionDidEnd() { push.end() }

  package func call(
    _ method: String, _ params: JSONNode?, into writer: inout JSONWriter
  ) throws(RPCError) -> Work? {
    switch method {
    case ToSource.Open.name: return work { [self] () async throws(SourceError) in try await open() }
    case ToSource.CheckIn.name:
      let checkIn = try Self.read(params, PassedCheckIn.init)
      return work { [self] () async throws(SourceError) in try await answer(checkIn) }
    case ToSource.Report.name: return report(try Self.read(params, PassedReport.init))
    case ToSource.Leave.name: return leave(try Self.read(params, ToSource.Leave.Params.decode))
    case ToSource.Watch.name:
      push.watch(try Self.read(params, ToSource.Watch.Params.decode).registrations)
      writer.null()
      return nil
    case ToSource.AcquireToken.name:
      guard signIn != nil else { throw RPCError(.methodNotFound) }
      return acquireToken(try Self.read(params, ToSource.AcquireToken.Params.decode))
    default: throw RPCError(.methodNotFound)
    }
  }

  private static func read<Params>(
    _ params: JSONNode?, _ decode: (JSONNode) throws(JSONDecodingError) -> Params
  ) throws(RPCError) -> Params {
    guard let params else { throw RPCError(.invalidParams, "the params are missing") }
    do throws(JSONDecodingError) { return try decode(params) } catch { throw RPCError(error) }
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
    let introduction = SourceIntroduction(
      name: description.name, authentication: description.authentication?.said, push: description.canPush,
      signIn: canSignIn(at: description), failures: true,
      development: description.isDevelopment ? true : nil)
    return introduction.jsonBytes
  }

  private func canSignIn(at description: ServiceDescription) -> Bool {
    guard let signIn, let authentication = description.authentication else { return false }
    return signIn.canSignIn(at: authentication)
  }

  private func answer(_ checkIn: PassedCheckIn) async throws(SourceError) -> [UInt8] {
    guard checkIn.token?.fitsHeader ?? true else {
      throw SourceError(.signInNeeded, "The token has characters that no token has. Sign in again.")
    }
    let answer = try await service.checkIn(checkIn.body, token: checkIn.token)
    push.note(checkIn.registration.id, account: checkIn.account, answer)
    return answer.text
  }

  private func report(_ report: PassedReport) -> Work {
    work { [service] () async throws(SourceError) in
      try await service.report(report.body, operation: report.operation, of: report.registration)
      return Nothing().jsonBytes
    }
  }

  private func leave(_ params: ToSource.Leave.Params) -> Work {
    work { [service] () async throws(SourceError) in
      try await service.leave(params.registration)
      return Nothing().jsonBytes
    }
  }
}

// MARK: - Sign-in

extension SourceHandler {
  private func acquireToken(_ params: ToSource.AcquireToken.Params) -> Work {
    work { [self] () async throws(SourceError) in
      try await token(for: params.account, silent: params.silent, claims: params.claims)
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
      let answer = await peer.ask(ToBridge.Prompt.name, params: prompt.params.jsonBytes, timeout: Self.promptPatience)
      if case .failure = answer { return false }
      return true
    }
    guard let text = TokenText(token.accessToken) else {
      throw SourceError(.unreachable, "The system is out of memory. Try again.")
    }
    return AcquiredToken(accessToken: text, expires: token.expires.description).jsonBytes
  }

  /// For showing a prompt, not for what the person does then.
  private static let promptPatience = Duration.seconds(10)
}

extension SignInPrompt {
  fileprivate var params: ToBridge.Prompt.Params {
    ToBridge.Prompt.Params(
      verificationUri: verificationUri, userCode: userCode, message: message, expires: expires.description)
  }
}
