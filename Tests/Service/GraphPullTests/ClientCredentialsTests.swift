import HTTP
import JSON
import Support
import Testing

@testable import GraphPull

@Suite struct ClientCredentialsTests {
  private static let path = "/directory/oauth2/v2.0/token"
  private let clock = ManualClock(startingAt: Timestamp(milliseconds: 0))

  /// A provider that answers with these in order, and the credentials that ask it.
  private func credentials(_ answers: FakeGraph.Answer...) -> (FakeGraph, ClientCredentials) {
    let provider = FakeGraph([Self.path: answers])
    let made = ClientCredentials(
      authority: FakeGraph.root, directory: "directory", clientId: "app", proof: .secret("secret"),
      resource: "https://resource.example", http: provider, clock: clock
    ) { time in provider.state.withLock { $0.sleeps.append(time) } }
    return (provider, made)
  }

  private func token(_ name: String, seconds: Int64) -> FakeGraph.Answer {
    .json(["access_token": .string(name), "expires_in": .integer(seconds)])
  }

  @Test(
    "A token is used until five minutes before it expires",
    arguments: [(0, "first"), (3299, "first"), (3300, "second"), (3600, "second")] as [(Int64, String)])
  func reserve(_ seconds: Int64, _ expected: String) async throws {
    let (_, credentials) = credentials(token("first", seconds: 3600), token("second", seconds: 3600))
    #expect(try await credentials.token(after: nil) == "first")
    clock.advance(byMilliseconds: seconds * 1000)
    #expect(try await credentials.token(after: nil) == expected)
  }

  @Test("A token that lives five minutes or less is used once", arguments: [0, 300])
  func short(_ seconds: Int64) async throws {
    let (provider, credentials) = credentials(token("first", seconds: seconds), token("second", seconds: seconds))
    #expect(try await credentials.token(after: nil) == "first")
    #expect(try await credentials.token(after: nil) == "second")
    #expect(provider.requests.count == 2)
  }

  @Test("A refused token is not used again, and the request for the next token has the claims of the refusal")
  func refused() async throws {
    let (provider, credentials) = credentials(token("first", seconds: 3600), token("second", seconds: 3600))
    #expect(try await credentials.token(after: nil) == "first")
    #expect(try await credentials.token(after: TokenRefused(claims: "{}")) == "second")
    #expect(try await credentials.token(after: nil) == "second")
    let bodies = provider.requests.map { String(decoding: $0.body, as: UTF8.self) }
    #expect(bodies.map { $0.contains("claims=%7B%7D") } == [false, true], "\(bodies)")
  }

  @Test("A busy provider is asked four times, each after the wait it asks for", arguments: [429, 503])
  func busy(_ status: Int) async throws {
    let (provider, credentials) = credentials(
      .response(HTTPResponse(status, headers: HTTPHeaders(["Retry-After": "70"]))), token("first", seconds: 3600))
    #expect(try await credentials.token(after: nil) == "first")
    #expect(provider.sleeps == [.seconds(70)])
    let (always, other) = self.credentials(.response(HTTPResponse(status)))
    await #expect(throws: GraphFailure.self) { try await other.token(after: nil) }
    #expect(always.requests.count == 4)
  }
}
