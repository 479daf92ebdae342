import HTTP
import JSON
import Support
import Testing

@testable import GraphPull

/// A Graph in memory. Each path has its answers in order; the last one stays.
final class FakeGraph: HTTPClient {
  enum Answer: Sendable {
    case json(JSONValue)
    case response(HTTPResponse)
    case failure(HTTPFailure.Kind)
  }

  struct State {
    var answers: [String: [Answer]]
    var requests: [HTTPRequest] = []
    var sleeps: [Duration] = []
    var tokens = 0
    /// Of the bodies sent.
    var bytes = 0
  }

  static let root = "https://graph.example"
  let state: Lock<State>

  init(_ answers: [String: [Answer]] = [:]) {
    state = Lock(State(answers: answers))
  }

  func send(
    _ request: HTTPRequest, patience: Duration, largestBody: Int
  ) async throws(HTTPFailure) -> HTTPResponse {
    let path = String(request.url.dropFirst(Self.root.count))
    let answer = state.withLock { state -> Answer in
      state.requests.append(request)
      guard var left = state.answers[path] ?? state.answers[String(path.prefix { $0 != "?" })] else {
        return .response(HTTPResponse(404))
      }
      let answer = left.count > 1 ? left.removeFirst() : left[0]
      let key = state.answers[path] != nil ? path : String(path.prefix { $0 != "?" })
      state.answers[key] = left
      return answer
    }
    switch answer {
    case .json(let value):
      let body = Array(value.jsonText.utf8)
      state.withLock { $0.bytes += body.count }
      return HTTPResponse(200, body: body)
    case .response(let response): return response
    case .failure(let kind): throw HTTPFailure(kind, "as the test wants it")
    }
  }

  var requests: [HTTPRequest] { state.withLock(\.requests) }
  var tokens: Int { state.withLock(\.tokens) }
  var bytes: Int { state.withLock(\.bytes) }
  var sleeps: [Duration] { state.withLock(\.sleeps) }

  /// A client that never sleeps.
  func client(_ change: (inout GraphClient.Limits) -> Void = { _ in }) throws -> GraphClient {
    var limits = GraphClient.Limits()
    change(&limits)
    return GraphClient(
      root: try #require(WebURL(Self.root)), http: self, tokens: self, limits: limits,
      clock: ManualClock(startingAt: Timestamp(milliseconds: 0))
    ) { time in self.state.withLock { $0.sleeps.append(time) } }
  }
}

extension FakeGraph: GraphTokens {
  func token(after refusal: TokenRefused?) async throws(GraphFailure) -> String {
    state.withLock { state in
      if refusal != nil || state.tokens == 0 { state.tokens += 1 }
      return "token\(state.tokens)"
    }
  }
}

extension FakeGraph.Answer {
  static func page(_ elements: [JSONValue], next: String? = nil) -> FakeGraph.Answer {
    var page: JSONObject = ["value": .array(elements)]
    page["@odata.nextLink"] = next.map(JSONValue.string)
    return .json(.object(page))
  }

  /// Graph's answer for an object that does not exist. The directory's message names the object.
  static func missing(_ id: String, code: String = "Request_ResourceNotFound") -> FakeGraph.Answer {
    let reason = "does not exist or one of its queried reference-property objects are not present."
    return refusal(404, code, "Resource '\(id)' \(reason)")
  }

  static func refusal(_ status: Int, _ code: String, _ message: String) -> FakeGraph.Answer {
    let error: JSONValue = ["error": ["code": .string(code), "message": .string(message)]]
    return .status(status, [:], error.jsonText)
  }

  static func status(_ status: Int, _ headers: KeyValuePairs<String, String> = [:], _ body: String = "") -> Self {
    .response(HTTPResponse(status, headers: HTTPHeaders(headers), body: Array(body.utf8)))
  }
}
