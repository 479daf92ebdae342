import Glibc
import Support
import TestSupport
import Testing

@testable import Transport

@Suite("POST /examine", .timeLimit(.minutes(5)), .ownThreads)
struct PageExaminerTests {
  private let client: HTTPClient
  private let began = Support.Semaphore()
  private let ended = Support.Semaphore()

  /// Answers with the text itself. With the text `?`, it works until nobody waits for the answer.
  private static func examiner(_ began: Support.Semaphore, _ ended: Support.Semaphore) -> PageExaminer {
    PageExaminer(limit: 8, hint: "Use a file") { text in
      let bytes = text.withBytes { Array($0) }
      guard bytes == Array("?".utf8) else { return bytes }
      began.signal()
      while !Task.isCancelled { usleep(1000) }
      ended.signal()
      return bytes
    }
  }

  private let server: RunningListener

  init() throws {
    server = try RunningListener(RunningListener.http, examiner: Self.examiner(began, ended))
    client = try HTTPClient(server)
  }

  private func head(_ body: String, _ fields: [String: String?] = [:]) -> String {
    let own = ["Content-Type": "application/octet-stream", "Content-Length": "\(body.utf8.count)"]
    return client.head("POST /examine", fields.merging(own) { given, _ in given }) + body
  }

  @Test(
    "POST /examine returns JSON that is not cached, for an empty text and for one at the limit",
    arguments: ["", "12345678"])
  func answers(_ text: String) {
    let reply = client.ask(head(text))
    #expect(reply?.status == 200)
    #expect(reply?.body == text)
    #expect(reply?.headers["content-type"] == "application/json")
    #expect(reply?.headers["cache-control"] == "no-store")
  }

  @Test("POST /examine refuses a text over its own limit with 413 and a hint")
  func limit() {
    let reply = client.ask(head("123456789"))
    #expect(reply?.status == 413)
    #expect(reply?.body == "The body must not exceed 8 bytes. Use a file.\n")
  }

  @Test(
    "POST /examine refuses the content types application/json and text/plain with 415",
    arguments: ["application/json", "text/plain"])
  func type(_ type: String) {
    #expect(client.ask(head("1", ["Content-Type": type]))?.status == 415)
  }

  @Test("POST /examine without the token fails with 401")
  func token() {
    #expect(client.ask(head("?", ["Authorization": nil]))?.status == 401)
  }

  @Test("POST /examine is cancelled when the client disconnects")
  func cancellation() throws {
    let gone = try HTTPClient(server)
    gone.send(head("?"))
    began.wait()
    gone.stream.end()
    ended.wait()
  }

  @Test("POST /examine is 404 on a server that examines nothing")
  func none() throws {
    let other = try RunningListener(RunningListener.http)
    let client = try HTTPClient(other)
    #expect(client.ask(client.head("POST /examine", ["Content-Length": "0"]))?.status == 404)
  }
}
