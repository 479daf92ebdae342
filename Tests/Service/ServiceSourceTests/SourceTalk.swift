import HTTP
import JSON
import JSONRPC
import Support
import TestSupport

@testable import ServiceSource

/// A tenant service that a test plays.
final class PlayedService: HTTPClient {
  typealias Answer = @Sendable (HTTPRequest) async throws(HTTPFailure) -> HTTPResponse

  private let answer: Lock<Answer>
  private let received = Lock<[HTTPRequest]>([])

  init(_ answer: @escaping Answer) { self.answer = Lock(answer) }

  var requests: [HTTPRequest] { received.withLock { $0 } }

  /// The requests to a path, without the origin.
  func requests(to path: String) -> [HTTPRequest] { requests.filter { $0.url == SourceTalk.url + path } }

  func play(_ answer: @escaping Answer) { self.answer.withLock { $0 = answer } }

  func send(
    _ request: HTTPRequest, patience: Duration, largestBody: Int
  ) async throws(HTTPFailure) -> HTTPResponse {
    received.withLock { $0.append(request) }
    let answer = answer.withLock { $0 }
    return try await answer(request)
  }
}

extension HTTPResponse {
  static func json(_ text: String, status: Int = 200) -> HTTPResponse {
    HTTPResponse(status, headers: HTTPHeaders(["Content-Type": "application/json"]), body: Array(text.utf8))
  }
}

extension HTTPRequest {
  /// The body, parsed.
  var json: JSONValue { (try? JSONValue(parsing: body)) ?? .null }
}

/// A conversation with a policy source, as mambridge leads it.
final class SourceTalk {
  static let url = "https://mam.contoso.example"
  static let registration = #"{"id":"11111111-1111-4111-8111-111111111111","secret":"c2VjcmV0"}"#
  static let id = "11111111-1111-4111-8111-111111111111"
  static let account = #"{"accountId":"87d349ed-44d7-43e1-9a83-5f2406dee5bd","identity":"alice@contoso.example"}"#

  private let session: Session
  private var output: [UInt8] = []
  private var lastID = 0

  init(_ service: PlayedService, signIn: (any SourceSignIn)? = nil, times: SourcePush.Times = .init()) {
    let client = TenantServiceClient(Self.url + "/", service)
    let handler = SourceHandler(client, signIn: signIn, push: SourcePush(client, times: times))
    session = Session(handler: handler) {}
  }

  /// Sends a request, and returns its id.
  @discardableResult
  func send(_ method: String, _ params: String = "{}") -> Int {
    lastID += 1
    write(#"{"jsonrpc":"2.0","id":\#(lastID),"method":"\#(method)","params":\#(params)}"#)
    return lastID
  }

  func write(_ line: String) { Array((line + "\n").utf8).withUnsafeBytes { session.receive($0) } }

  /// All messages so far.
  var messages: [JSONValue] {
    session.run()
    while session.hasOutput {
      let piece = session.withOutput { Array($0) }
      output += piece
      session.consumeOutput(piece.count)
    }
    return output.split(separator: UInt8(ascii: "\n")).compactMap { try? JSONValue(parsing: Array($0)) }
  }

  func answer(to id: Int) async -> JSONValue? {
    func found() -> JSONValue? { messages.first { $0["id"]?.integerValue == Int64(id) } }
    _ = await eventually { found() != nil }
    return found()
  }

  func ask(_ method: String, _ params: String = "{}") async -> JSONValue? { await answer(to: send(method, params)) }

  func checkIn(token: String? = nil) async -> JSONValue? { await answer(to: sendCheckIn(token: token)) }

  func sendCheckIn(token: String? = nil) -> Int {
    let token = token.map { #","token":"\#($0)""# } ?? ""
    return send(
      "source.checkIn",
      """
      {"reason":"checkIn","registration":\(Self.registration),"account":\(Self.account),\
      "app":{"id":"com.example","version":null,"sdkVersion":"21.7.1"},"device":{"platform":"ios","jailbroken":false},\
      "etag":"e","applied":[{"id":"T_1","version":"1"}],"health":[]\(token)}
      """)
  }

  func watch() async { _ = await ask("source.watch", #"{"registrations":[\#(Self.registration)]}"#) }

  /// The params of the changes that mambridge was told of.
  var changes: [JSONValue] { messages.filter { $0["method"] == "source.didChange" }.compactMap { $0["params"] } }
}
