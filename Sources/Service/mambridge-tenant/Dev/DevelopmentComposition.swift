#if TenantService
  import Cryptography
  import Database
  import Development
  import Glibc
  import HTTP
  import HTTPNetwork
  import HTTPServer
  import SourceProtocol
  import Support
  import Tenancy
  import TenantService

  /// Puts a development tenant together from the parts of the service, with a provider of its own, and runs it.
  struct DevelopmentComposition: Sendable {
    let address: ServerAddress
    let folder: DevelopmentFolder
    let redirects: RegisteredRedirects
    let printsJSON: Bool
    let endsWithStdin: Bool
    /// Whether a sandbox asks on the standard input.
    let answersRequests: Bool

    private static let secretBytes = 32
    private static let certificateSeconds: Int64 = 7 * 86_400
    private static let clockSkewSeconds: Int64 = 300

    private var log: ServiceLog { ServiceLog(mark: "development: ") }

    /// Serves until a signal.
    func run() async throws {
      try folder.fill(SampleFolder.files())
      let secret = Base64URL.encode(try Random.bytes(Self.secretBytes))
      let certificate = try makeCertificate()
      let signer = try TokenSigner()
      try SnapshotFolder(folder) {}.finishInterrupted()
      let run = ServiceRun(location: .sqlite(path: folder.store, folder: folder.tenant), log: log)
      try await run.run { database in
        let store = TenantStore(prepared: database)
        // Whoever develops may remove what there is.
        let served = ServedTenant(store, limit: nil)
        try await run.loadFirst(served)
        try SnapshotFolder(folder) {}.keepBeginning()
        let front = StartingResponder()
        var server = NetworkServer([NetworkServer.Listener(address, certificate, responder: front)]) { [log] in
          log.write($0)
        }
        // The certificate never lasts as long as that of a service should.
        server.reportsExpiry = false
        let ending = Lock<(front: DevelopmentService, upkeep: Task<Void, Never>, file: RunFile?)?>(nil)
        server.didStart = { addresses in
          let started = start(at: addresses[0].description, secret, signer, store, served, certificate)
          let upkeep = Task { [folder] in await started.service.keepUp(folder: folder.tenant) }
          front.begin(started.front)
          let file = announce(addresses[0].description, secret, served)
          ending.withLock { $0 = (started.front, upkeep, file) }
          if endsWithStdin { endWithStdin() }
        }
        server.willEnd = { ending.withLock { $0 }?.front.endWaiting() }
        defer {
          let parts = ending.withLock { $0 }
          parts?.upkeep.cancel()
          parts?.file?.end()
        }
        try await run.serve(server, on: database)
      }
    }

    /// Ends this process as a signal does, also when the one that has started it is killed. Only once signals are handled:
    /// the input may have ended already, and the folder of the run is to be removed.
    private func endWithStdin() {
      let failure = OwnThread.start {
        var byte: UInt8 = 0
        var count: Int
        repeat { count = read(STDIN_FILENO, &byte, 1) } while count > 0 || count < 0 && errno == EINTR
        kill(getpid(), SIGTERM)
      }
      if let failure { log.write("does not end with the standard input: no thread can be started: \(failure.text)") }
    }

    private func makeCertificate() throws -> ServerCertificate? {
      guard address.usesTLS else { return nil }
      let now = SystemClock().now.milliseconds / 1000
      let made = try SelfSignedCertificate(
        "mambridge-tenant dev", hosts: ["DNS:localhost", "IP:127.0.0.1", "IP:::1"],
        validity: now - Self.clockSkewSeconds...now + Self.certificateSeconds)
      try folder.write(made.privateKey, to: "certificate.key")
      try folder.write(made.certificate, to: "certificate.pem")
      do throws(NetworkError) {
        return try ServerCertificate(certificatePath: folder.certificate, keyPath: folder.privateKey)
      } catch {
        throw CommandFailure.configuration(error.description)
      }
    }

    private struct Started {
      let service: TenantService
      let front: DevelopmentService
    }

    /// The rest needs the port.
    private func start(
      at origin: String, _ secret: String, _ signer: TokenSigner, _ store: TenantStore, _ served: ServedTenant,
      _ certificate: ServerCertificate?
    ) -> Started {
      let note: @Sendable (String) -> Void = { [log] in log.write(RequestNotes.noting($0)) }
      let settings = DevelopmentSettings(origin: origin, secret: secret, redirects: redirects)
      let tenantId = served.edition?.tenantId ?? ""
      let provider = IdentityProvider(settings, signer, served, log: note)
      let issuer = provider.issuer(of: tenantId)
      let rules = TokenRules(
        issuer: issuer, audiences: Set(IdentityProvider.audiences(of: origin)), tenantId: tenantId)
      var options = ServiceOptions()
      options.name = "mambridge-tenant dev (development)"
      options.authentication = TenantAuthentication(
        authority: issuer, resource: DevelopmentSettings.resource,
        scopes: [DevelopmentSettings.resource + "/.default"], clientId: DevelopmentSettings.clientId)
      // As many as Graph takes, for tools that ask several times for each policy.
      (options.requestBurst, options.requestsPerSecond) = (2000, 100)
      let service = TenantService(
        store: store, served: served, tokens: DevelopmentTokens(signer, rules),
        graph: makeGraph(at: origin, store, served), options: options,
        certificateEnd: { certificate?.validUntil }, log: note)
      let snapshots = SnapshotFolder(folder) { [folder] in
        await service.load(folder: TenantFolderWatch(path: folder.tenant))
        service.wakePolls()
      }
      let front = DevelopmentService(settings, provider, service, snapshots, log: note)
      return Started(service: service, front: front)
    }

    /// Whoever develops may change what there is and read its history, with the role that only wipes elsewhere.
    private func makeGraph(at origin: String, _ store: TenantStore, _ served: ServedTenant) -> GraphService {
      var settings = GraphService.Settings(publicURL: origin)
      settings.isDevelopment = true
      settings.administrators.writeRoles = [GraphAdministrators.writeRole]
      settings.administrators.auditRoles = [GraphAdministrators.writeRole]
      return GraphService(
        settings, store: store, served: served,
        editor: FolderEditor(folder: folder.tenant, store: store, served: served, settling: settling))
    }

    /// A folder that this run has made was changed by nobody else.
    private var settling: Duration { folder.isNew ? .zero : FolderEditor.usualSettling }

    /// Lets this user's programs find the tenant, and says so.
    private func announce(_ origin: String, _ secret: String, _ served: ServedTenant) -> RunFile? {
      let tenantId = served.edition?.tenantId ?? ""
      let trusted = address.usesTLS ? folder.certificate : nil
      let file: RunFile
      do {
        file = try RunFile(
          RunFile.Content(service: origin, tenantId: tenantId, secret: secret, certificate: trusted))
      } catch {
        log.write("nobody finds this tenant: \((error as? CommandFailure)?.message ?? "\(error)")")
        return nil
      }
      let summary = DevelopmentSummary(
        origin: origin, tenantId: tenantId, folder: folder, certificate: trusted, secret: secret,
        secretFile: file.path, tenant: served.edition?.tenant)
      if answersRequests {
        answerRequests(summary.places)
      } else {
        // Whoever closed the output does not want to read it.
        try? printResult(printsJSON ? summary.json : summary.text)
      }
      return file
    }

    private func answerRequests(_ places: DevelopmentPlaces) {
      do {
        if let failure = try DevelopmentRequests(places).serve() { throw failure }
      } catch {
        log.write("cannot answer requests: \((error as? NetworkError)?.description ?? "\(error)")")
        kill(getpid(), SIGTERM)
      }
    }
  }

  /// Answers as soon as the port is known, which the rest needs.
  private final class StartingResponder: HTTPResponder {
    private let front = Lock<DevelopmentService?>(nil)

    func begin(_ service: DevelopmentService) { front.withLock { $0 = service } }

    func response(to request: HTTPRequest, from peer: String) async -> HTTPResponse {
      await front.withLock { $0 }?.response(to: request, from: peer) ?? HTTPResponse(503)
    }

    func refusal(
      _ status: Int, because fault: String?, of request: HTTPRequest, from peer: String
    ) -> HTTPResponse {
      front.withLock { $0 }?.refusal(status, because: fault, of: request, from: peer) ?? HTTPResponse(status)
    }
  }
#endif
