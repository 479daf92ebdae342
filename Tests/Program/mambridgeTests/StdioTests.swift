import Glibc
import JSON
import TestSupport
import Testing

@Suite(.ownThreads) struct StdioTests {
  private static let enroll = request(
    "enrollmentManager.registerAndEnrollAccount", ["account": "alice@contoso.example"], id: "a")
  private static let ask = request("policy.isPINRequired", [:], id: "b")

  @Test("The server answers all requests in order, even if its input ends right after them", arguments: ["\n", ""])
  func endOfInput(_ ending: String) throws {
    let outcome = try Program().serve(Self.enroll + "\n" + Self.ask + ending)
    #expect(outcome.status == 0)
    #expect(outcome.errors == "")
    #expect(outcome.replies.map { $0["id"] } == ["a", "b"])
    #expect(outcome.replies.last?["result"] == true)
  }

  @Test("The server answers a burst of a thousand requests in order")
  func burst() throws {
    let lines = (0..<1000).map { request("versionInfo.sdkVersion", [:], id: .integer($0)) }
    let outcome = try Program().serve(lines.joined(separator: "\n") + "\n")
    #expect(outcome.replies.map { $0["id"]?.integerValue } == (0..<1000).map { Int64($0) })
  }

  @Test("Requests with a Content-Length header get replies with a Content-Length header")
  func contentLength() throws {
    let framed = [Self.enroll, Self.ask].map { "Content-Length: \($0.utf8.count)\r\n\r\n\($0)" }.joined()
    let outcome = try Program().serve(framed)
    #expect(outcome.status == 0)
    let body = #"{"jsonrpc":"2.0","id":"b","result":true}"#
    #expect(outcome.output.hasPrefix("Content-Length: "))
    #expect(outcome.output.hasSuffix("Content-Length: \(body.utf8.count)\r\n\r\n\(body)"))
  }

  @Test("An invalid message gets one error reply, and the server answers the next request")
  func garbage() throws {
    let outcome = try Program().serve("rubbish\n{\"jsonrpc\":\"1.0\"}\n[]\n\n\(request("versionInfo.sdkVersion"))\n")
    #expect(outcome.status == 0)
    #expect(outcome.replies.map { $0["error"]?["code"]?.integerValue } == [-32700, -32600, -32600, nil])
    #expect(outcome.replies.last?["result"] == "21.7.1")
  }

  @Test("The server prints nothing and exits with 0 if its input is empty")
  func empty() throws {
    #expect(try Program().serve("") == Subprocess.Outcome(status: 0, output: "", errors: ""))
  }

  @Test("shutdown gets its reply and ends the server before later requests are answered")
  func shutdown() throws {
    let outcome = try Program().serve(request("shutdown") + "\n" + request("versionInfo.sdkVersion") + "\n")
    #expect(outcome.status == 0)
    #expect(outcome.output == #"{"jsonrpc":"2.0","id":1,"result":null}"# + "\n")
  }

  @Test("SIGTERM and SIGINT end the server with exit code 0", arguments: [SIGTERM, SIGINT])
  func signals(_ number: Int32) throws {
    let server = try Program().start()
    #expect(try server.ask("versionInfo.sdkVersion")["result"] == "21.7.1")
    server.send(signal: number)
    let outcome = try server.wait()
    #expect(outcome.status == 0)
    #expect(outcome.errors == "")
  }
}
