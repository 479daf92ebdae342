import HTTPServer
import NIOCore
import NIOHTTP1

/// The reason why a request is refused.
struct HTTPRefusal: Error, Equatable {
  let status: HTTPResponseStatus
  let message: String
  var headers: [(name: String, value: String)] = []
  /// Whether the connection is closed afterwards.
  var closes = false

  static func == (one: HTTPRefusal, other: HTTPRefusal) -> Bool { one.status == other.status }
}

extension HTTPRefusal {
  static func badRequest(_ message: String) -> HTTPRefusal {
    HTTPRefusal(status: .badRequest, message: message, closes: true)
  }

  static func forbidden(_ message: String) -> HTTPRefusal {
    HTTPRefusal(status: .forbidden, message: message, closes: true)
  }

  static let notFound = HTTPRefusal(
    status: .notFound, message: "Not found. Use POST /rpc, GET /openrpc.json, GET /events or GET /log.")

  static func methodNotAllowed(_ allowed: HTTPMethod) -> HTTPRefusal {
    HTTPRefusal(
      status: .methodNotAllowed, message: "Use \(allowed) for this path.",
      headers: [("Allow", allowed.rawValue)])
  }

  static let unauthorized = HTTPRefusal(
    status: .unauthorized, message: "Send \"Authorization: Bearer TOKEN\" with the server's token.",
    headers: [("WWW-Authenticate", "Bearer")], closes: true)

  static let noRoom = HTTPRefusal(
    status: .serviceUnavailable, message: "Too many connections are open. Try again later.",
    headers: [("Retry-After", "1")],
    closes: true)

  static let noMemory = HTTPRefusal(
    status: .serviceUnavailable, message: "The system is out of memory for this request.",
    headers: [("Retry-After", "1")], closes: true)

  static let notJSON = HTTPRefusal(
    status: .unsupportedMediaType, message: "The request needs \"Content-Type: application/json\".",
    headers: [("Accept", "application/json")])

  static let bytesType = "application/octet-stream"

  static let notBytes = HTTPRefusal(
    status: .unsupportedMediaType, message: "The request needs \"Content-Type: \(bytesType)\".",
    headers: [("Accept", bytesType)])

  static let encodedBody = HTTPRefusal(
    status: .unsupportedMediaType, message: "The body must not be compressed. Send it without Content-Encoding.",
    headers: [("Accept-Encoding", "identity")])

  static func tooLarge(_ limit: Int, hint: String?) -> HTTPRefusal {
    let message = "The body must not exceed \(limit) bytes." + (hint.map { " \($0)." } ?? "")
    return HTTPRefusal(status: .payloadTooLarge, message: message, closes: true)
  }

  static func full(_ limit: Int) -> HTTPRefusal {
    HTTPRefusal(
      status: .payloadTooLarge,
      message: "The record is full: it must not exceed \(limit) bytes. Keep a script of it, then start it again.")
  }

  static let expectationFailed = HTTPRefusal(
    status: .expectationFailed, message: "The only supported expectation is 100-continue.", closes: true)

  static let tooSlow = HTTPRefusal(
    status: .requestTimeout, message: "The request took too long to arrive.", closes: true)

  static let shuttingDown = HTTPRefusal(
    status: .serviceUnavailable, message: "The server is shutting down.", closes: true)

  init(_ fault: HTTPFault, tooLarge: HTTPRefusal) {
    switch fault {
    case .malformed(let error): self.init(error)
    case .badHead(let message): self = .badRequest(message)
    case .encodedBody: self = .encodedBody
    case .tooLarge: self = tooLarge
    case .lateHead, .lateBody: self = .tooSlow
    case .noMemory: self = .noMemory
    case .shuttingDown: self = .shuttingDown
    }
  }

  /// For bytes that are not a valid request.
  init(_ error: HTTPParserError) {
    switch error {
    case .headerOverflow:
      self.init(
        status: .requestHeaderFieldsTooLarge, message: "The header of the request is too long.", closes: true)
    case .invalidVersion:
      self.init(status: .httpVersionNotSupported, message: "Use HTTP/1.1.", closes: true)
    default: self = .badRequest("This is not a valid HTTP request.")
    }
  }
}

/// Answers any request with a refusal, and closes the connection.
final class HTTPRefusalHandler: ChannelInboundHandler {
  typealias InboundIn = ByteBuffer
  typealias OutboundOut = HTTPServerResponsePart

  private let refusal: HTTPRefusal

  init(_ refusal: HTTPRefusal) {
    self.refusal = refusal
  }

  func channelActive(context: ChannelHandlerContext) {
    let body = context.channel.allocator.buffer(string: refusal.message + "\n")
    let fields = [
      ("Content-Type", "text/plain; charset=utf-8"), ("Content-Length", "\(body.readableBytes)"),
      ("Connection", "close"),
    ]
    let head = HTTPResponseHead(
      version: .http1_1, status: refusal.status, headers: HTTPHeaders(refusal.headers.map { ($0, $1) } + fields))
    context.write(wrapOutboundOut(.head(head)), promise: nil)
    context.write(wrapOutboundOut(.body(.byteBuffer(body))), promise: nil)
    context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
    context.close(promise: nil)
  }
}
