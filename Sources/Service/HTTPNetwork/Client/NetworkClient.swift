#if TenantService
  import AsyncHTTPClient
  import HTTP
  import NIOCore
  import NIOHTTP1
  import NIOPosix
  import NIOSSL
  import Support

  /// Sends requests over HTTPS, or over plain HTTP to this machine. Connections stay open for the next request. Safe to
  /// use from any task.
  package final class NetworkClient: HTTP.HTTPClient {
    private typealias Engine = AsyncHTTPClient.HTTPClient

    private static let connectSeconds: Int64 = 10
    /// Shorter than servers wait, so that a connection is seldom closed under a request.
    private static let idleSeconds: Int64 = 30

    private let settings: ClientSettings
    private let tls: TLSConfiguration
    private let direct: Engine
    /// For what goes through the proxy.
    private let proxied: Engine?

    /// Throws if the file of authorities cannot be used.
    package init(_ settings: ClientSettings = ClientSettings()) throws(NetworkError) {
      self.settings = settings
      let tls = try Self.tls(settings)
      self.tls = tls
      direct = Self.engine(tls, proxy: nil)
      proxied = settings.proxy.map { Self.engine(tls, proxy: $0) }
    }

    deinit {
      for engine in [direct, proxied] {
        guard let engine else { continue }
        Task { try? await engine.shutdown() }
      }
    }

    package func send(
      _ request: HTTPRequest, patience: Duration, largestBody: Int
    ) async throws(HTTPFailure) -> HTTPResponse {
      guard let url = WebURL(request.url) else {
        throw HTTPFailure(.badURL, "The URL \"\(request.url)\" cannot be used. Use https://HOST/….")
      }
      guard url.scheme == "https" || url.isLoopback else {
        throw HTTPFailure(.badURL, "Plain http is allowed only to this machine. Use https://\(url.host).")
      }
      let explanation = FailureExplanation(
        url: url, proxy: settings.usesProxy(for: url) ? settings.proxy : nil, patience: patience,
        largestBody: largestBody, settings: settings)
      let end = ContinuousClock.now + patience
      do {
        return try await Self.within(patience) { [self] in
          try await exchange(request, url, patience: patience, largestBody: largestBody)
        }
      } catch {
        let failure = explanation.failure(error)
        guard failure.kind == .notTrusted, explanation.proxy == nil else { throw failure }
        throw await CertificateDiagnosis(url, tls, patience: end - .now).explained(failure)
      }
    }

    /// Until when the certificate of a server is valid. `nil` if the server shows none within `patience`, and for a server
    /// behind a proxy: no connection goes around the proxy.
    package func certificateEnd(of url: WebURL, patience: Duration) async -> Timestamp? {
      guard url.scheme == "https", !settings.usesProxy(for: url) else { return nil }
      return await CertificateDiagnosis(url, tls, patience: patience).finding()?.validUntil
    }

    private func exchange(
      _ request: HTTPRequest, _ url: WebURL, patience: Duration, largestBody: Int
    ) async throws -> HTTPResponse {
      var outgoing = HTTPClientRequest(url: request.url)
      outgoing.method = HTTPMethod(rawValue: request.method)
      for field in request.headers.fields { outgoing.headers.add(name: field.name, value: field.value) }
      if !request.body.isEmpty { outgoing.body = .bytes(ByteBuffer(bytes: request.body)) }
      let engine = settings.usesProxy(for: url) ? proxied ?? direct : direct
      let response = try await engine.execute(outgoing, deadline: .now() + TimeAmount(patience))
      let body = try await response.body.collect(upTo: largestBody)
      var headers = HTTP.HTTPHeaders()
      for field in response.headers { headers.add(field.name, field.value) }
      return HTTPResponse(Int(response.status.code), headers: headers, body: Array(body.readableBytesView))
    }

    /// Runs the body, and cancels it when the time is up.
    private static func within(
      _ patience: Duration, _ body: @escaping @Sendable () async throws -> HTTPResponse
    ) async throws -> HTTPResponse {
      try await withThrowingTaskGroup(of: HTTPResponse.self) { group in
        group.addTask(operation: body)
        group.addTask {
          try await Task.sleep(for: patience)
          throw TimeIsUp()
        }
        defer { group.cancelAll() }
        guard let response = try await group.next() else { throw CancellationError() }
        return response
      }
    }

    struct TimeIsUp: Error {}

    private static func engine(_ tls: TLSConfiguration, proxy: ProxyAddress?) -> Engine {
      var configuration = Engine.Configuration(
        tlsConfiguration: tls, redirectConfiguration: .disallow, timeout: .init(connect: .seconds(connectSeconds)),
        connectionPool: .init(idleTimeout: .seconds(idleSeconds)), proxy: proxy.map(Self.proxy))
      configuration.httpVersion = .http1Only
      // Report a failure at once; the caller decides when to retry.
      configuration.connectionPool.retryConnectionEstablishment = false
      return Engine(eventLoopGroup: MultiThreadedEventLoopGroup.singleton, configuration: configuration)
    }

    private static func proxy(_ address: ProxyAddress) -> Engine.Configuration.Proxy {
      let login = address.user.map {
        Engine.Authorization.basic(username: $0, password: address.password ?? "")
      }
      return .server(host: address.host, port: address.port, authorization: login)
    }

    private static func tls(_ settings: ClientSettings) throws(NetworkError) -> TLSConfiguration {
      var tls = TLSConfiguration.makeClientConfiguration()
      tls.minimumTLSVersion = .tlsv12
      guard let file = settings.trustedFile else { return tls }
      do {
        let authorities = try NIOSSLCertificate.fromPEMFile(file)
        guard !authorities.isEmpty else { throw NIOSSLError.failedToLoadCertificate }
        tls.trustRoots = .certificates(authorities)
      } catch {
        throw NetworkError(
          .configuration,
          "Cannot read certificates of authorities from \(file). Name a file in PEM form (BEGIN CERTIFICATE).")
      }
      return tls
    }
  }
#endif
