#if TenantService
  import Glibc
  import HTTP
  import HTTPNetwork
  import JSON
  import JSONRPC
  import SourceProtocol
  import Support
  import Transport

  /// Answers the sandbox that has started this process, on the standard input and output, and ends the process with it.
  final class DevelopmentRequests: MethodHandler {
    private static let patience = Duration.seconds(30)
    private static let largestBody = 16 << 20

    private let places: DevelopmentPlaces
    private let client: NetworkClient

    init(_ places: DevelopmentPlaces) throws(NetworkError) {
      var settings = ClientSettings()
      settings.trustedFile = places.certificate
      client = try NetworkClient(settings)
      self.places = places
    }

    /// Returns the system's reason if it starts no thread. Signals are handled by others.
    func serve() -> SystemError? {
      OwnThread.start { [self] in
        _ = StdioLoop(signals: nil) { wake in Session(handler: self, wake: wake) }.run()
        kill(getpid(), SIGTERM)
      }
    }

    func call(
      _ method: String, _ params: JSONNode?, into writer: inout JSONWriter
    ) throws(RPCError) -> Work? {
      switch method {
      case ToDevelopment.Open.name:
        places.encode(to: &writer)
        return nil
      case ToDevelopment.Send.name:
        let request = try Self.read(params, ToDevelopment.Send.Params.self)
        return work { [self] () async throws(RPCError) in try await send(request).jsonBytes }
      case ToDevelopment.GetToken.name:
        let request = try Self.read(params, ToDevelopment.GetToken.Params.self)
        return work { [self] () async throws(RPCError) in try await token(of: request.user).jsonBytes }
      default: throw RPCError(.methodNotFound)
      }
    }

    private static func read<Params: Record>(_ params: JSONNode?, _ type: Params.Type) throws(RPCError) -> Params {
      do throws(JSONDecodingError) { return try Params.decode(params: params) } catch { throw RPCError(error) }
    }

    /// Runs beside other requests; canceled when the input ends.
    private func work(_ body: @escaping @Sendable () async throws(RPCError) -> [UInt8]) -> Work {
      Work(isWaiting: true, body)
    }

    private func send(_ request: ToDevelopment.Send.Params) async throws(RPCError) -> DevelopmentAnswer {
      var sent = HTTPRequest(request.method, places.service + request.path)
      sent.headers["Authorization"] = request.token.map { "Bearer \($0.text)" }
      sent.headers["Content-Type"] = request.body.map { _ in "application/json" }
      sent.body = Array((request.body ?? "").utf8)
      do throws(HTTPFailure) {
        let answer = try await client.send(sent, patience: Self.patience, largestBody: Self.largestBody)
        return DevelopmentAnswer(
          status: Int64(answer.status), body: String(decoding: answer.body, as: UTF8.self))
      } catch {
        throw RPCError(.internalError, error.text)
      }
    }

    private func token(of user: String) async throws(RPCError) -> TokenText {
      let run = RunFile.Content(
        service: places.service, tenantId: places.tenantId, secret: places.secret, certificate: places.certificate)
      do {
        guard let token = TokenText(try await PrintDevelopmentToken.token(of: user, at: run)) else {
          throw RPCError.outOfMemory
        }
        return token
      } catch let failure as CommandFailure {
        throw RPCError(.internalError, failure.message)
      } catch {
        throw RPCError(.internalError, "\(error)")
      }
    }
  }
#endif
