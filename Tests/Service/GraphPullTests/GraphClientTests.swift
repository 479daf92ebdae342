import HTTP
import JSON
import Support
import Testing

@testable import GraphPull

@Suite("Microsoft Graph client") struct GraphClientTests {
  struct Case: Sendable, CustomTestStringConvertible {
    let name: String
    let answers: [FakeGraph.Answer]
    /// The number of elements, or a part of the failure's text.
    let outcome: Outcome
    /// The range of each sleep, in milliseconds.
    var sleeps: [ClosedRange<Int64>] = []

    enum Outcome: Sendable { case elements(Int), failure(GraphFailure.Kind, String) }

    var testDescription: String { name }
  }

  static let list = "/v1.0/list"
  static let one = FakeGraph.Answer.page([["id": "1"]])
  static let intune = """
    {"error":{"code":"BadRequest","message":"{\\"_version\\":3,\\"Message\\":\\"Bad filter. - Operation ID 1\\"}",
    "innerError":{"request-id":"r1"}}}
    """

  static let cases: [Case] = [
    Case(name: "one page", answers: [one], outcome: .elements(1)),
    Case(
      name: "429 with whole seconds", answers: [.status(429, ["Retry-After": "7"]), one], outcome: .elements(1),
      sleeps: [7000...7000]),
    Case(
      name: "429 with a fraction", answers: [.status(429, ["Retry-After": "2.128"]), one], outcome: .elements(1),
      sleeps: [2128...2128]),
    Case(
      name: "429 without a time backs off twice as long each time",
      answers: [.status(429), .status(429), .status(429), one], outcome: .elements(1),
      sleeps: [500...1000, 1000...2000, 2000...4000]),
    Case(
      name: "429 whose inner message names the time",
      answers: [.status(429, [:], #"{"error":{"code":"TooManyRequests","message":"{\"RetryAfter\":9}"}}"#), one],
      outcome: .elements(1), sleeps: [9000...9000]),
    Case(
      name: "a wait beyond the limit is not waited for", answers: [.status(429, ["Retry-After": "3600"]), one],
      outcome: .failure(.unavailable, "status 429")),
    Case(
      name: "502, 503 and 504 pass", answers: [.status(502), .status(503), .status(504), one], outcome: .elements(1),
      sleeps: [500...1000, 1000...2000, 2000...4000]),
    Case(
      name: "503 that stays", answers: [.status(503)], outcome: .failure(.unavailable, "status 503"),
      sleeps: [500...1000, 1000...2000, 2000...4000, 4000...8000, 8000...16_000, 16_000...32_000, 30_000...60_000]),
    Case(
      name: "a body that ends early is read again",
      answers: [.failure(.cutOff), .status(200, [:], #"{"value":[{"#), one],
      outcome: .elements(1), sleeps: [500...1000, 1000...2000]),
    Case(
      name: "a page to sign in is named at once", answers: [.status(200, ["Content-Type": "text/html"], "<p>Hello")],
      outcome: .failure(.unusable, "answered with a web page (status 200)")),
    Case(
      name: "a wrong address fails at once", answers: [.failure(.cannotConnect)],
      outcome: .failure(.unavailable, "as the test wants it")),
    Case(
      name: "a service that goes away for a moment is asked again",
      answers: [.status(503), .failure(.cannotConnect), one], outcome: .elements(1), sleeps: [500...1000, 1000...2000]),
    Case(name: "a refused token is replaced once", answers: [.status(401), one], outcome: .elements(1)),
    Case(
      name: "two refused tokens", answers: [.status(401), .status(401)], outcome: .failure(.signIn, "refuses the token")
    ),
    Case(
      name: "403 names the permission", answers: [.status(403, [:], #"{"error":{"code":"Forbidden","message":"no"}}"#)],
      outcome: .failure(.forbidden, "Forbidden: no. Grant Some.Read.All")),
    Case(
      name: "the inner message of Intune is shown", answers: [.status(400, [:], intune)],
      outcome: .failure(.refused, "BadRequest: Bad filter. - Operation ID 1 (request r1)")),
    Case(name: "404", answers: [.status(404)], outcome: .failure(.notFound, "status 404")),
    Case(
      name: "a redirect is not followed", answers: [.status(302, ["Location": "https://other.example/"])],
      outcome: .failure(.unusable, "redirects are not followed")),
    Case(
      name: "a link to another host", answers: [.page([], next: "https://graph.example.evil/next")],
      outcome: .failure(.unusable, "continues at another address")),
    Case(
      name: "a link to another scheme", answers: [.page([], next: "http://graph.example/next")],
      outcome: .failure(.unusable, "continues at another address")),
    Case(
      name: "a link to another port", answers: [.page([], next: "https://graph.example:8443/next")],
      outcome: .failure(.unusable, "continues at another address")),
    Case(
      name: "a link with a user", answers: [.page([], next: "https://graph.example@evil.example/next")],
      outcome: .failure(.unusable, "continues at another address")),
    Case(
      name: "a link back", answers: [.page([], next: "\(FakeGraph.root)\(list)")],
      outcome: .failure(.unusable, "leads back")),
    Case(name: "no list", answers: [.json(["value": 5])], outcome: .failure(.unusable, "not a list of objects")),
    Case(name: "no object", answers: [.json(["value": [5]])], outcome: .failure(.unusable, "not a list of objects")),
    Case(name: "a body that is too large", answers: [.failure(.tooLarge)], outcome: .failure(.unusable, "")),
  ]

  @Test("The Graph client retries transient failures and reports all others with their cause", arguments: cases)
  func answers(_ entry: Case) async throws {
    let graph = FakeGraph([Self.list: entry.answers])
    let client = try graph.client()
    do {
      let found = try await client.list(at: Self.list, permissions: "Some.Read.All")
      guard case .elements(let count) = entry.outcome else { throw Unexpected(text: "\(found.count) elements") }
      #expect(found.count == count)
    } catch let failure as GraphFailure {
      guard case .failure(let kind, let text) = entry.outcome else { throw Unexpected(text: failure.text) }
      #expect(failure.kind == kind)
      #expect(failure.text.contains(text), "\(failure.text)")
    }
    let sleeps = graph.sleeps.map { $0.components.seconds * 1000 + $0.components.attoseconds / 1_000_000_000_000_000 }
    #expect(sleeps.count == entry.sleeps.count)
    for (sleep, range) in zip(sleeps, entry.sleeps) { #expect(range.contains(sleep), "\(sleep) in \(range)") }
  }

  struct Unexpected: Error { let text: String }

  @Test("The Graph client follows all pages, each request with the token and its own request id") func pages()
    async throws
  {
    let graph = FakeGraph([
      Self.list: [.page([["id": "1"], ["id": "2"]], next: "\(FakeGraph.root)/v1.0/page?$skiptoken=b%20c")],
      "/v1.0/page?$skiptoken=b%20c": [.page([["id": "3"]])],
    ])
    let found = try await graph.client().list(at: Self.list, permissions: "")
    #expect(found.map { $0.text("id") } == ["1", "2", "3"])
    #expect(graph.requests.map { $0.headers["Authorization"] } == ["Bearer token1", "Bearer token1"])
    #expect(Set(graph.requests.compactMap { $0.headers["client-request-id"] }).count == 2)
  }

  @Test("The Graph client limits the number of pages and bytes of a list") func bounds() async throws {
    let endless = FakeGraph(
      Dictionary(
        uniqueKeysWithValues: (0..<9).map { page in
          ("/p\(page)", [FakeGraph.Answer.page([["id": "x"]], next: "\(FakeGraph.root)/p\(page + 1)")])
        }))
    await #expect(throws: GraphFailure.self) {
      try await endless.client { $0.pages = 5 }.list(at: "/p0", permissions: "")
    }
    #expect(endless.requests.count == 5)
    let large = FakeGraph(["/p0": [.page([["id": "x"]], next: "\(FakeGraph.root)/p1")], "/p1": [.page([["id": "y"]])]])
    await #expect(throws: GraphFailure.self) {
      try await large.client { $0.allBytes = 60 }.list(at: "/p0", permissions: "")
    }
  }

  @Test("The Graph client signs in once after a refused token, however often it repeats the request") func oneRefusal()
    async throws
  {
    let graph = FakeGraph([Self.list: [.status(401), .status(503), .status(429), .status(503), Self.one]])
    _ = try await graph.client().list(at: Self.list, permissions: "")
    #expect(graph.tokens == 2)
    #expect(graph.requests.last?.headers["Authorization"] == "Bearer token2")
  }

  @Test(
    "The Graph client repeats a POST with the same request id, so it is carried out once",
    arguments: [
      .status(429), .status(503), .status(502), .status(504), .failure(.late), .failure(.cutOff), .status(401),
    ] as [FakeGraph.Answer])
  func order(_ answer: FakeGraph.Answer) async throws {
    let graph = FakeGraph(["/v1.0/action": [answer, .status(503), .status(204)]])
    try await graph.client().post(["deviceTag": "t"], to: "/v1.0/action", permissions: "")
    #expect(graph.requests.count == 3)
    #expect(Set(graph.requests.map { $0.headers["client-request-id"] ?? "none" }).count == 1)
  }

  @Test(
    "The error of a failed POST says whether the request may have been carried out",
    arguments: [
      ([.status(503)], true), ([.failure(.late)], true), ([.failure(.cutOff), .status(403)], true),
      ([.status(503), .failure(.cannotConnect)], true), ([.failure(.cancelled)], true), ([.status(500)], true),
      ([.status(429)], false), ([.status(403)], false), ([.failure(.cannotConnect)], false),
    ] as [([FakeGraph.Answer], Bool)])
  func uncertainOrder(_ answers: [FakeGraph.Answer], _ isUncertain: Bool) async throws {
    let graph = FakeGraph(["/v1.0/action": answers])
    let failure = await #expect(throws: GraphFailure.self) {
      try await graph.client().post(["deviceTag": "t"], to: "/v1.0/action", permissions: "")
    }
    #expect(failure?.text.contains("may have been carried out") == isUncertain, "\(failure?.text ?? "")")
  }

  @Test("A refused token's claims are read from the WWW-Authenticate header") func claims() {
    let response = HTTPResponse(
      401,
      headers: HTTPHeaders([
        "WWW-Authenticate": #"Bearer realm="", error="insufficient_claims", claims="eyJhIjp7fX0=""#
      ]))
    #expect(TokenRefused(response).claims == #"{"a":{}}"#)
    #expect(TokenRefused(HTTPResponse(401)).claims == nil)
  }
}
