import TestSupport
import Testing

@testable import Transport

@Suite("The record that a page keeps on its server", .timeLimit(.minutes(5)), .ownThreads)
struct PageRecordTests {
  private let server: RunningListener
  private let client: HTTPClient

  init() throws {
    server = try RunningListener(RunningListener.http, record: PageRecord(limit: 20))
    client = try HTTPClient(server)
  }

  private func send(_ method: String, _ body: String, _ fields: [String: String?] = [:]) -> HTTPClient.Reply? {
    let own = ["Content-Type": "application/json", "Content-Length": "\(body.utf8.count)"]
    return client.ask(client.head("\(method) /record", fields.merging(own) { given, _ in given }) + body)
  }

  private var kept: String? { client.ask(client.head("GET /record"))?.body }

  @Test("POST /record appends a line, PUT /record starts a new record, and GET /record returns all lines")
  func lines() {
    #expect(kept?.isEmpty == true)
    #expect(send("POST", "[1]")?.status == 204)
    #expect(send("POST", "[2]")?.status == 204)
    #expect(kept == "[1]\n[2]\n")
    #expect(send("PUT", "[3]")?.status == 204)
    #expect(kept == "[3]\n")
  }

  @Test("A line that exceeds the limit of /record fails with 413 and a hint, and changes nothing")
  func limit() {
    #expect(send("POST", "[1]")?.status == 204)
    let refused = send("POST", "[\"1234567890123\"]")
    #expect(refused?.status == 413)
    #expect(refused?.body.contains("start it again") == true)
    #expect(send("PUT", "[\"12345678901234567\"]")?.status == 413)
    #expect(kept == "[1]\n")
    #expect(send("POST", "[\"123456789012\"]".dropLast(2) + "]")?.status == 204)
  }

  @Test(
    "/record refuses a body that is not one line of JSON, and other methods",
    arguments: [
      ("POST", "", "application/json", 400), ("POST", "[1,\n2]", "application/json", 400),
      ("POST", "[1]", "text/plain", 415), ("DELETE", "", "application/json", 405),
    ])
  func refusals(_ method: String, _ body: String, _ type: String, _ status: Int) {
    #expect(send(method, body, ["Content-Type": type])?.status == status)
  }

  @Test("GET /record and POST /record without the token fail with 401")
  func token() throws {
    for start in ["GET /record", "POST /record"] {
      let stranger = try HTTPClient(server)
      #expect(stranger.ask(stranger.head(start, ["Authorization": nil]))?.status == 401)
    }
  }

  @Test("GET /record is 404 on a server without a record")
  func none() throws {
    let other = try RunningListener(RunningListener.http)
    let client = try HTTPClient(other)
    #expect(client.ask(client.head("GET /record"))?.status == 404)
  }
}
