#if TenantService
  import Database
  import Glibc
  import HTTP
  import HTTPNetwork
  import HTTPServer
  import JSON
  import Support
  import Tenancy
  import TenantService

  /// Puts the service together and runs it.
  struct ServiceComposition: Sendable {
    let location: StoreLocation
    let network: ServerOptions
    let tokens: TokenOptions
    let limits: ServeLimits
    let removals: RemovalLimit
    /// Whether hosts block what they do not know of a policy; `nil` for what tenant.json says.
    let blocksUnknown: Bool?
    /// Whether administrators may change the tenant.
    let isWritable: Bool
    let client: any HTTPClient
    private let log = ServiceLog()
    /// The address with the port that was chosen; `nil` before the service listens.
    private let listening = Lock<String?>(nil)

    init(
      location: StoreLocation, network: ServerOptions, tokens: TokenOptions, limits: ServeLimits,
      removals: RemovalLimit, blocksUnknown: Bool?, isWritable: Bool, client: any HTTPClient
    ) {
      (self.location, self.network, self.tokens, self.limits) = (location, network, tokens, limits)
      (self.removals, self.blocksUnknown, self.isWritable, self.client) = (removals, blocksUnknown, isWritable, client)
    }

    /// Serves until a signal.
    func run() async throws {
      Self.allowManyConnections()
      let (address, certificate, metrics) = try addresses()
      let slots = try makeSlots()
      let run = ServiceRun(location: location, log: log)
      try await run.run { database in
        let store = TenantStore(prepared: database)
        let served = ServedTenant(store, limit: removals)
        try await run.loadFirst(served)
        let service = try makeService(store, served, certificate)
        let upkeep = Task { await service.keepUp(folder: location.folder) }
        defer { upkeep.cancel() }
        try await run.serve(server(of: service, at: address, certificate, slots, metrics: metrics), on: database)
      }
    }

    private func server(
      of service: TenantService, at address: ServerAddress, _ certificate: ServerCertificate?, _ slots: SharedSlots,
      metrics: ServerAddress?
    ) -> NetworkServer {
      var listeners = [NetworkServer.Listener(address, certificate, responder: service, slots: slots)]
      listeners[0].limits.bodyBytes = limits.body
      if let metrics {
        listeners.append(NetworkServer.Listener(metrics, responder: MetricsPage(service) { slots.counts }))
      }
      var server = NetworkServer(listeners) { [log] in log.write($0) }
      server.didStart = { [listening] addresses in
        listening.withLock { $0 = addresses[0].description }
        Self.announce(addresses)
      }
      server.willEnd = { [log] in
        log.write("shutting down: answering waiting hosts; new requests are refused")
        service.endPolls()
      }
      return server
    }

    /// Prints the line from which a script learns the addresses.
    private static func announce(_ addresses: [ServerAddress]) {
      var line: JSONObject = ["listening": .string(addresses[0].description)]
      line["metrics"] = addresses.count > 1 ? .string(addresses[1].description) : .null
      printError(line.jsonText)
    }

    /// Each connection is a descriptor.
    private static func allowManyConnections() {
      var limit = rlimit()
      guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return }
      limit.rlim_cur = limit.rlim_max
      setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    }
  }

  // MARK: - Parts

  extension ServiceComposition {
    private func addresses() throws -> (ServerAddress, ServerCertificate?, metrics: ServerAddress?) {
      do throws(NetworkError) {
        let address = try ServerAddress(network.listen)
        let metrics: ServerAddress? =
          if let text = network.metrics { try ServerAddress(text) } else { nil }
        if let metrics, metrics.usesTLS || !metrics.isLoopback {
          throw NetworkError(.configuration, "--metrics must be http://127.0.0.1:PORT or http://[::1]:PORT.")
        }
        guard address.usesTLS else { return (address, nil, metrics) }
        guard let certificate = network.certificate, let key = network.privateKey else {
          throw NetworkError(.configuration, "https needs --certificate FILE and --private-key FILE.")
        }
        return (address, try ServerCertificate(certificatePath: certificate, keyPath: key), metrics)
      } catch {
        throw CommandFailure.configuration(error.description)
      }
    }

    private func makeSlots() throws -> SharedSlots {
      let proxies = try network.trustedProxy.map { text in
        guard let address = ClientAddress(text) else {
          throw CommandFailure.configuration("--trusted-proxy needs the IP address of a proxy, not \"\(text)\".")
        }
        return address
      }
      return SharedSlots(
        connections: limits.connections, ofAddress: limits.address, exempt: Set(proxies))
    }

    private func makeService(
      _ store: TenantStore, _ served: ServedTenant, _ certificate: ServerCertificate?
    ) throws -> TenantService {
      var rules = TokenRules(
        issuer: tokens.issuer, audiences: Set(tokens.audience), tenantId: tokens.tenantId,
        rsaAlgorithms: tokens.tokenAlgorithm.map(\.rawValue))
      rules.userClaim = tokens.userClaim
      let checker = JWTChecker(rules, over: client) { [log] in log.write($0) }
      var options = ServiceOptions()
      if !tokens.scope.isEmpty || tokens.clientId != nil { options.authentication = authentication }
      options.usualAuthentication = authentication
      options.userClaim = tokens.userClaim
      options.blocksUnknownRestrictions = blocksUnknown
      options.largestBody = limits.body
      options.openPolls = limits.polls
      options.registrationsOfUser = limits.registrations
      options.requestBurst = Double(limits.burst)
      options.requestsPerSecond = Double(limits.rate)
      options.policySpread = limits.spread
      options.retention.unseenDays = Int64(limits.unseen)
      return TenantService(
        store: store, served: served, tokens: checker, graph: try makeGraph(store, served), options: options,
        otherTime: { await checker.providerTime() }, certificateEnd: { certificate?.validUntil }
      ) { [log] in log.write($0) }
    }

    private func makeGraph(_ store: TenantStore, _ served: ServedTenant) throws -> GraphService {
      var settings = GraphService.Settings(
        publicURL: network.publicURL ?? listening.withLock { $0 } ?? network.listen)
      settings.administrators = try tokens.administrators()
      return GraphService(
        settings, store: store, served: served, editor: isWritable ? makeEditor(store, served) : nil)
    }

    /// What changes the tenant where its truth is.
    private func makeEditor(_ store: TenantStore, _ served: ServedTenant) -> any TenantEditor {
      guard let folder = location.folder else { return SnapshotEditor(store: store, served: served) }
      return FolderEditor(folder: folder, store: store, served: served)
    }

    /// For a tenant that does not say how hosts sign in.
    private var authentication: TenantAuthentication {
      let audience = tokens.audience.first ?? ""
      return TenantAuthentication(
        authority: tokens.issuer, resource: audience,
        scopes: tokens.scope.isEmpty ? [audience + "/.default"] : tokens.scope, clientId: tokens.clientId)
    }
  }
#endif
