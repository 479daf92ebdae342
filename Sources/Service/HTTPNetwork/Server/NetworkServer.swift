// HTTPNetwork carries the values of HTTP over a network. It is the only target that links TLS. Limits of sizes, times
// and connections are here, so that code that answers a request does not check them.
//
// Server/ lets an `HTTPResponder` answer on HTTPServer: `NetworkServer` has the listeners, `ServerCertificate` reads a
// certificate again when its files change. Client/ is the `HTTPClient` on AsyncHTTPClient: `NetworkClient` sends a
// request, `ClientSettings` has proxies and authorities, and `FailureExplanation` and `CertificateDiagnosis` say in
// one sentence why a connection failed and what to do.

#if TenantService
  import Glibc
  import HTTP
  import HTTPServer
  import Logging
  import NIOCore
  import ServiceLifecycle
  import Support

  /// An HTTP server with one or more listeners, such as one for a service and one for its metrics.
  package struct NetworkServer: Sendable {
    package struct Listener: Sendable {
      package var address: ServerAddress
      /// Needed for https.
      package var certificate: ServerCertificate?
      package var responder: any HTTPResponder
      package var limits = ServerLimits()
      /// Limits how many connections there are.
      package var slots: SharedSlots

      package init(
        _ address: ServerAddress, _ certificate: ServerCertificate? = nil, responder: any HTTPResponder,
        slots: SharedSlots = SharedSlots(connections: 4096, ofAddress: 256)
      ) {
        (self.address, self.certificate, self.responder) = (address, certificate, responder)
        self.slots = slots
      }
    }

    package var listeners: [Listener]
    package var clock: any Clock = SystemClock()
    /// Looked at this often for other certificate files.
    package var reloadInterval = Duration.seconds(2)
    /// Whether the log says at the start and at each reload that a certificate expires soon.
    package var reportsExpiry = true
    /// Whether SIGTERM and SIGINT end the server.
    package var endsAtSignals = true
    /// Called with a line for the log.
    package var log: @Sendable (String) -> Void
    /// Called once when all listeners accept connections, with their addresses in order.
    package var didStart: @Sendable ([ServerAddress]) -> Void = { _ in }
    /// Called once when the server begins to end. Requests that only wait must be answered now.
    package var willEnd: @Sendable () -> Void = {}

    package init(_ listeners: [Listener], log: @escaping @Sendable (String) -> Void) {
      (self.listeners, self.log) = (listeners, log)
    }

    /// Serves until SIGTERM or SIGINT, or until the task is cancelled. Then accepts no more connections, lets running
    /// requests finish for `endPatience`, and returns. Throws if an address cannot be listened on.
    package func run() async throws(NetworkError) {
      let start = Lock(StartState(addresses: listeners.map { _ in nil }))
      let services = listeners.indices.map { service($0, start) }
      let logger = Logger(label: "network") { _ in LineLog(write: log) }
      var configuration = ServiceGroupConfiguration(
        services: services + [Supervisor(server: self)],
        gracefulShutdownSignals: endsAtSignals ? [.sigterm, .sigint] : [],
        logger: logger)
      configuration.maximumGracefulShutdownDuration = listeners.map(\.limits.endPatience).max()
      let group = ServiceGroup(configuration: configuration)
      // In a task of its own, which is not cancelled: running requests are to finish.
      let running = Task { try await group.run() }
      do {
        try await withTaskCancellationHandler {
          try await running.value
        } onCancel: {
          Task { await group.triggerGracefulShutdown() }
        }
      } catch {
        throw start.withLock { $0.failure } ?? NetworkError(.ended, "The server has ended: \(error).")
      }
    }

    private struct StartState {
      var addresses: [ServerAddress?]
      var failure: NetworkError?
    }

    private func service(_ index: Int, _ start: Lock<StartState>) -> any Service {
      let listener = listeners[index]
      return ListenerService(
        listener, clock: clock, log: log, didStart: { port in didListen(index, port, start) },
        didFail: { error in
          let failure = NetworkError(.cannotListen, "Cannot listen on \(listener.address): \(Self.reason(error))")
          start.withLock { $0.failure = $0.failure ?? failure }
        })
    }

    private func didListen(_ index: Int, _ port: Int?, _ start: Lock<StartState>) {
      let all = start.withLock { state -> [ServerAddress] in
        state.addresses[index] = listeners[index].address.with(port: port)
        let known = state.addresses.compactMap { $0 }
        return known.count == listeners.count ? known : []
      }
      if !all.isEmpty { didStart(all) }
    }

    private static func reason(_ error: any Error) -> String {
      guard let error = error as? IOError else { return "\(error)." }
      let text = SystemError(number: error.errnoCode).text
      return switch error.errnoCode {
      case EADDRINUSE: "another program listens there. Stop that program, or use another port."
      case EACCES: "\(text). Ports below 1024 need the capability CAP_NET_BIND_SERVICE; or use another port."
      case EADDRNOTAVAIL: "this machine has no such address. Use 0.0.0.0 or [::] for all addresses."
      default: "\(text)."
      }
    }
  }

  /// Reloads certificates, and says when the server begins to end.
  private struct Supervisor: Service {
    let server: NetworkServer

    func run() async {
      for certificate in certificates { reportExpiry(of: certificate) }
      await withGracefulShutdownHandler {
        // Ends with an error when the server begins to end, which is no failure.
        try? await cancelWhenGracefulShutdown {
          while true {
            try await Task.sleep(for: server.reloadInterval)
            for certificate in certificates { reload(certificate) }
          }
        }
      } onGracefulShutdown: {
        server.willEnd()
      }
    }

    private var certificates: [ServerCertificate] { server.listeners.compactMap(\.certificate) }

    private func reload(_ certificate: ServerCertificate) {
      do throws(NetworkError) {
        guard try certificate.reloadIfChanged() else { return }
        server.log(
          "The certificate has changed; new connections get the new one, valid until \(certificate.validUntil).")
        reportExpiry(of: certificate)
      } catch {
        server.log("The certificate has changed, but the old one stays in use: \(error.description)")
      }
    }

    private static let warningDays: Int64 = 14

    private func reportExpiry(of certificate: ServerCertificate) {
      guard server.reportsExpiry else { return }
      let rest = certificate.validUntil.milliseconds - server.clock.now.milliseconds
      if rest <= 0 {
        server.log("The certificate has expired on \(certificate.validUntil), and clients refuse it. Renew it.")
      } else if rest < Self.warningDays * CivilDate.millisecondsPerDay {
        server.log("The certificate expires on \(certificate.validUntil). Renew it before that.")
      }
    }
  }

  /// Passes on what the libraries report from warnings upwards.
  private struct LineLog: LogHandler {
    let write: @Sendable (String) -> Void
    var logLevel = Logger.Level.warning
    var metadata: Logger.Metadata = [:]

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
      get { metadata[key] }
      set { metadata[key] = newValue }
    }

    func log(event: LogEvent) { write("\(event.message)") }
  }
#endif
