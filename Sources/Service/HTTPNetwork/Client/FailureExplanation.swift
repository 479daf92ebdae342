#if TenantService
  import AsyncHTTPClient
  import Glibc
  import HTTP
  import NIOCore
  import NIOPosix
  import NIOSSL
  import Support

  /// Puts the errors of the libraries into sentences with cause and way out.
  struct FailureExplanation {
    let url: WebURL
    /// `nil` for a direct connection.
    let proxy: ProxyAddress?
    let patience: Duration
    let largestBody: Int
    let settings: ClientSettings

    func failure(_ error: any Error) -> HTTPFailure {
      switch error {
      case is CancellationError: HTTPFailure(.cancelled, "The request to \(url.origin) was cancelled.")
      case is NetworkClient.TimeIsUp: late
      case let error as NIOConnectionError: connection(error)
      case let error as IOError: system(error.errnoCode)
      case let error as NIOSSLExtraError: name(error)
      case let error as NIOSSLError: trust("\(error)")
      case let error as BoringSSLError: trust("\(error)")
      case is NIOTooManyBytesError:
        HTTPFailure(.tooLarge, "The response of \(url.origin) is larger than the limit of \(largestBody) bytes.")
      case let error as HTTPClientError: client(error)
      default: HTTPFailure(.cutOff, "The response of \(url.origin) cannot be read: \(error).")
      }
    }

    private var late: HTTPFailure {
      HTTPFailure(.late, "\(url.origin) did not answer within \(Self.text(patience)). Try again later.")
    }

    private static func text(_ patience: Duration) -> String {
      let seconds = Double(patience.components.seconds) + Double(patience.components.attoseconds) / 1e18
      return seconds == seconds.rounded() ? "\(Int(seconds)) s" : "\(seconds) s"
    }

    /// Who is connected to, which is the proxy if there is one.
    private var place: String { proxy.map { "the proxy \($0.host):\($0.port)" } ?? "\(url.origin)" }

    private func connection(_ error: NIOConnectionError) -> HTTPFailure {
      if let number = error.connectionErrors.lazy.compactMap({ ($0.error as? IOError)?.errnoCode }).first {
        return system(number)
      }
      if error.dnsAError != nil || error.dnsAAAAError != nil { return unknownHost }
      if error.connectionErrors.contains(where: { $0.error is ChannelError }) { return noConnection }
      return cannotConnect("\(error)", "Check the address and the network.")
    }

    private var unknownHost: HTTPFailure {
      let host = proxy?.host ?? url.bareHost
      return cannotConnect("the host \(host) is unknown", "Check the name and the network's name service.")
    }

    private var noConnection: HTTPFailure {
      cannotConnect(
        "no connection within 10 s", "Check the address, the network, and whether a firewall is in between.")
    }

    private func system(_ number: Int32) -> HTTPFailure {
      switch number {
      case ECONNREFUSED:
        cannotConnect(
          "connection refused; nothing listens on port \(proxy?.port ?? url.port)",
          "Start the service, or check the address.")
      case ECONNRESET, EPIPE: cutOff
      default: cannotConnect(SystemError(number: number).text, "Check the address and the network.")
      }
    }

    private func cannotConnect(_ reason: String, _ wayOut: String) -> HTTPFailure {
      HTTPFailure(.cannotConnect, "Cannot connect to \(place): \(reason). \(wayOut)")
    }

    private var cutOff: HTTPFailure {
      HTTPFailure(.cutOff, "\(place) closed the connection before the response was complete. Try again later.")
    }

    private func name(_ error: NIOSSLExtraError) -> HTTPFailure {
      guard error == .failedToValidateHostname || error == .serverHostnameImpossibleToMatch else {
        return trust("\(error)")
      }
      return HTTPFailure(
        .notTrusted,
        "The certificate of \(url.origin) is for another name than \(url.bareHost). Use the name in the certificate, or "
          + "give the service a certificate for \(url.bareHost).")
    }

    private func trust(_ text: String) -> HTTPFailure {
      if text.contains("CERTIFICATE_VERIFY_FAILED") {
        let roots = settings.trustedFile.map { "the authorities in \($0)" } ?? "an authority that this system trusts"
        return HTTPFailure(
          .notTrusted,
          "The certificate of \(url.origin) is not signed by \(roots). Name the file of its authority with --ca.")
      }
      if text.contains("WRONG_VERSION_NUMBER") || text.contains("HTTP_REQUEST") {
        return HTTPFailure(
          .notTrusted, "\(url.origin) does not speak TLS. Check the port, or use http on this machine.")
      }
      if text.contains("uncleanShutdown") || text.contains("EOF") { return cutOff }
      return HTTPFailure(.notTrusted, "The TLS handshake with \(url.origin) failed: \(text).")
    }

    private func client(_ error: HTTPClientError) -> HTTPFailure {
      switch error {
      case .cancelled, .requestStreamCancelled: HTTPFailure(.cancelled, "The request to \(url.origin) was cancelled.")
      case .deadlineExceeded, .readTimeout, .writeTimeout, .getConnectionFromPoolTimeout: late
      case .connectTimeout: noConnection
      case .tlsHandshakeTimeout:
        HTTPFailure(.notTrusted, "\(url.origin) did not finish the TLS handshake within 10 s. Check the port.")
      case .httpProxyHandshakeTimeout, .invalidProxyResponse:
        HTTPFailure(.cannotConnect, "\(place) does not lead to \(url.origin). Check the proxy and its rules.")
      case .proxyAuthenticationRequired:
        HTTPFailure(.cannotConnect, "\(place) asks for a user. Use http://USER:PASSWORD@HOST:PORT as its address.")
      case .remoteConnectionClosed, .uncleanShutdown: cutOff
      case .invalidURL, .emptyHost, .emptyScheme:
        HTTPFailure(.badURL, "The URL cannot be used: \(error.shortDescription).")
      default: HTTPFailure(.cutOff, "The exchange with \(url.origin) failed: \(error.shortDescription).")
      }
    }
  }
#endif
