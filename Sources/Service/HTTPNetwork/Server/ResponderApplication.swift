#if TenantService
  import HTTP
  import HTTPServer
  import NIOCore
  import NIOHTTP1
  import Support

  /// Lets a responder answer the requests of one connection.
  final class ResponderApplication: HTTPApplication {
    private let responder: any HTTPResponder
    private let limits: ServerLimits
    private let clock: any Clock
    private let peer: String
    private let didProve: @Sendable () -> Void

    /// `peer` is the address of the client. `didProve` is called when a request has proved who sent it.
    init(
      _ responder: any HTTPResponder, limits: ServerLimits, clock: any Clock, peer: String,
      didProve: @escaping @Sendable () -> Void
    ) {
      (self.responder, self.limits, self.clock) = (responder, limits, clock)
      (self.peer, self.didProve) = (peer, didProve)
    }

    var idleTime: TimeAmount { TimeAmount(limits.idlePatience) }

    func accept(_ head: HTTPRequestHead, at target: RequestTarget) throws(HTTPReply) -> Int { limits.bodyBytes }

    func begin(
      _ head: HTTPRequestHead, at target: RequestTarget, _ body: [ClearedBytes], on connection: HTTPConnection
    ) -> any HTTPWork {
      let request = request(head, target.path, body)
      let (responder, peer, clock, handle) = (responder, peer, clock, connection.handle)
      let task = Task {
        let response = await responder.response(to: request, from: peer)
        handle.execute { connection in
          let reply = HTTPReply(response, at: clock.now)
          switch response.ending {
          case .whole: connection.finish(reply)
          case .cut: connection.breakOff(in: reply)
          case .none: connection.breakOff()
          }
        }
      }
      return ResponderWork(task)
    }

    func refusal(_ fault: HTTPFault, of head: HTTPRequestHead?) -> HTTPReply? {
      let status: Int
      var reason: String?
      switch fault {
      case .malformed(.headerOverflow): return HTTPReply(.requestHeaderFieldsTooLarge, closes: true)
      case .malformed: return HTTPReply(.badRequest, closes: true)
      case .lateHead: return nil
      case .badHead(let text): (status, reason) = (400, text)
      case .encodedBody: status = 415
      case .tooLarge: status = 413
      case .lateBody: status = 408
      case .noMemory, .shuttingDown: status = 503
      }
      guard let head else { return HTTPReply(HTTPResponseStatus(statusCode: status), closes: true) }
      let path = (try? RequestTarget(of: head).path) ?? head.uri
      let response = responder.refusal(status, because: reason, of: request(head, path, []), from: peer)
      var reply = HTTPReply(response, at: clock.now)
      reply.closes = true
      return reply
    }

    private func request(_ head: HTTPRequestHead, _ path: String, _ body: [ClearedBytes]) -> HTTPRequest {
      var bytes: [UInt8] = []
      bytes.reserveCapacity(body.reduce(0) { $0 + $1.count })
      for part in body { part.withBytes { bytes += $0 } }
      var request = HTTPRequest(head.method.rawValue, path, headers: HTTPHeaders(head.headers), body: bytes)
      request.didProve = didProve
      return request
    }
  }

  /// A response that a responder is making.
  private final class ResponderWork: HTTPWork {
    private let task: Task<Void, Never>

    init(_ task: Task<Void, Never>) { self.task = task }

    func clientDidEnd() { task.cancel() }

    /// The responder was told by `willEnd`.
    func serverDidEnd() {}

    func abandon() -> Bool {
      task.cancel()
      return false
    }
  }

  extension HTTPReply {
    fileprivate init(_ response: HTTPResponse, at now: Timestamp) {
      var fields = response.headers.fields.filter { $0.name.lowercased() != "content-length" }
      if response.headers["Date"] == nil { fields.append(("Date", now.httpDate)) }
      self.init(
        HTTPResponseStatus(statusCode: response.status), fields,
        body: response.body.isEmpty ? [] : [ByteBuffer(bytes: response.body)])
    }
  }

  extension HTTP.HTTPHeaders {
    /// From the headers of a received request.
    fileprivate init(_ headers: NIOHTTP1.HTTPHeaders) {
      self.init()
      for field in headers { add(field.name, field.value) }
    }
  }
#endif
