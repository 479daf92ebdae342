#if TenantService
  import HTTP
  import HTTPServer
  import Support
  import TestCertificates
  import TestSupport

  @testable import HTTPNetwork

  /// Answers with a closure.
  struct TestResponder: HTTPResponder {
    let answer: @Sendable (HTTPRequest) async -> HTTPResponse

    init(_ answer: @escaping @Sendable (HTTPRequest) async -> HTTPResponse) { self.answer = answer }

    func response(to request: HTTPRequest, from peer: String) async -> HTTPResponse { await answer(request) }
  }

  /// A server on a free port, with a certificate that a test makes.
  final class TestServer: Sendable {
    let folder = TemporaryFolder(inMemory: true)
    private let address = Lock<ServerAddress?>(nil)
    private let log = Lock<[String]>([])
    private let task = Lock<Task<Void, Never>?>(nil)
    private let failure = Lock<NetworkError?>(nil)

    var url: String { address.withLock { $0?.description ?? "" } }
    var port: Int { address.withLock { $0?.port ?? 0 } }
    var lines: [String] { log.withLock { $0 } }

    /// Starts to serve. Without a chain, over plain HTTP.
    init(
      _ chain: TestChain?, limits: ServerLimits = ServerLimits(),
      slots: SharedSlots = SharedSlots(connections: 4096, ofAddress: 256),
      willEnd: @escaping @Sendable () -> Void = {},
      _ answer: @escaping @Sendable (HTTPRequest) async -> HTTPResponse
    ) async throws {
      if let chain { write(chain) }
      let certificate = try chain.map { _ in
        try ServerCertificate(certificatePath: folder.file("server.pem"), keyPath: folder.file("server.key"))
      }
      let listener = NetworkServer.Listener(
        try ServerAddress("\(chain == nil ? "http" : "https")://127.0.0.1:0"), certificate,
        responder: TestResponder(answer), slots: slots)
      var server = NetworkServer([listener]) { [log] line in log.withLock { $0.append(line) } }
      server.listeners[0].limits = limits
      server.reloadInterval = .milliseconds(20)
      server.endsAtSignals = false
      server.willEnd = willEnd
      server.didStart = { [address] found in address.withLock { $0 = found.first } }
      let running = Task { [server, failure] in
        do throws(NetworkError) { try await server.run() } catch { failure.withLock { $0 = error } }
      }
      task.withLock { $0 = running }
      guard await eventually({ port > 0 || failure.withLock { $0 != nil } }), port > 0 else {
        throw failure.withLock { $0 } ?? NetworkError(.ended, "did not start")
      }
    }

    /// Writes the certificate and its key.
    func write(_ chain: TestChain) {
      folder.write(chain.leaf.key.text, to: "server.key")
      folder.write(chain.presentedText, to: "server.pem")
    }

    /// Begins the end, which the returned task waits for.
    func beginEnd() -> Task<Void, Never>? {
      let running = task.withLock { $0 }
      running?.cancel()
      return running
    }

    func end() async { await beginEnd()?.value }

    /// A client that trusts only the chain.
    func client(trusting chain: TestChain) throws -> NetworkClient {
      var settings = ClientSettings()
      settings.trustedFile = folder.write(chain.trustedText, to: "trusted.pem")
      return try NetworkClient(settings)
    }
  }

  extension TestChain {
    /// For `localhost` and 127.0.0.1, valid now unless it is moved by some days.
    static func local(host: String = "DNS:localhost,IP:127.0.0.1", days: Int64 = 0) throws -> TestChain {
      try TestChain(host: host, around: SystemClock().now.milliseconds / 1000 + days * 86_400)
    }
  }

  extension NetworkClient {
    /// The response, or why there is none.
    func outcome(
      _ request: HTTPRequest, patience: Duration = .seconds(10), largestBody: Int = 1 << 20
    ) async -> Result<HTTPResponse, HTTPFailure> {
      do throws(HTTPFailure) {
        return .success(try await send(request, patience: patience, largestBody: largestBody))
      } catch {
        return .failure(error)
      }
    }

    func failure(
      _ request: HTTPRequest, patience: Duration = .seconds(10), largestBody: Int = 1 << 20
    ) async -> HTTPFailure? {
      switch await outcome(request, patience: patience, largestBody: largestBody) {
      case .success: nil
      case .failure(let failure): failure
      }
    }
  }

  /// Holds tasks back until it is opened.
  final class Gate: Sendable {
    private struct State {
      var isOpen = false
      var waiting: [CheckedContinuation<Void, Never>] = []
    }

    private let state = Lock(State())

    func open() {
      let waiting = state.withLock { state in
        state.isOpen = true
        defer { state.waiting = [] }
        return state.waiting
      }
      for continuation in waiting { continuation.resume() }
    }

    func wait() async {
      await withCheckedContinuation { continuation in
        let isOpen = state.withLock { state in
          if !state.isOpen { state.waiting.append(continuation) }
          return state.isOpen
        }
        if isOpen { continuation.resume() }
      }
    }
  }
#endif
