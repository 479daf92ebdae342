#if TenantService
  import Glibc
  import HTTP
  import NIOCore
  import NIOPosix
  import NIOSSL
  import Support

  /// Finds out what is wrong with a certificate that the TLS library only calls invalid: connects once more, looks at the
  /// certificate, and ends the handshake without sending anything.
  struct CertificateDiagnosis {
    struct Finding: Sendable {
      let validFrom: Timestamp
      let validUntil: Timestamp
    }

    private static let longest = Duration.seconds(5)

    private let url: WebURL
    private let tls: TLSConfiguration
    private let patience: Duration

    /// Takes `patience` or some seconds, whichever is shorter.
    init(_ url: WebURL, _ tls: TLSConfiguration, patience: Duration) {
      (self.url, self.tls, self.patience) = (url, tls, min(patience, Self.longest))
    }

    /// The failure with a better cause, if the dates of the certificate are the cause.
    func explained(_ failure: HTTPFailure, at now: Timestamp = SystemClock().now) async -> HTTPFailure {
      guard let finding = await finding() else { return failure }
      if finding.validUntil < now {
        return HTTPFailure(
          .notTrusted,
          "The certificate of \(url.origin) has expired on \(finding.validUntil). Renew it, or set the clock of this machine, "
            + "which says \(now).")
      }
      if finding.validFrom > now {
        return HTTPFailure(
          .notTrusted,
          "The certificate of \(url.origin) is valid from \(finding.validFrom) on. Set the clock of this machine, which says "
            + "\(now).")
      }
      return failure
    }

    /// The dates of the certificate that the server shows; `nil` if it shows none.
    func finding() async -> Finding? {
      guard patience > .zero, let context = try? NIOSSLContext(configuration: tls) else { return nil }
      let loop = MultiThreadedEventLoopGroup.singleton.next()
      let found = loop.makePromise(of: Finding?.self)
      // `nil` if it takes too long, or if the connection ends before.
      loop.scheduleTask(in: TimeAmount(patience)) { found.succeed(nil) }
      let connecting = ClientBootstrap(group: loop).connectTimeout(TimeAmount(patience))
        .channelInitializer { channel in
          channel.eventLoop.makeCompletedFuture {
            let name = url.isAddress ? nil : url.host
            let handler = try NIOSSLClientHandler(context: context, serverHostname: name) { chain, verdict in
              found.succeed(chain.first.map(Finding.init))
              verdict.succeed(NIOSSLVerificationResult.failed)
            }
            try channel.pipeline.syncOperations.addHandler(handler)
          }
        }
        .connect(host: url.bareHost, port: url.port)
      connecting.whenComplete { result in
        guard case .success(let channel) = result else { return found.succeed(nil) }
        channel.closeFuture.whenComplete { _ in found.succeed(nil) }
        found.futureResult.whenComplete { _ in channel.close(promise: nil) }
      }
      return try? await found.futureResult.get()
    }
  }

  extension CertificateDiagnosis.Finding {
    fileprivate init(_ certificate: NIOSSLCertificate) {
      self.init(
        validFrom: Timestamp(milliseconds: Int64(certificate.notValidBefore) * 1000),
        validUntil: Timestamp(milliseconds: Int64(certificate.notValidAfter) * 1000))
    }
  }
#endif
