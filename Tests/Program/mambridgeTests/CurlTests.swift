import Glibc
import JSON
import TestSupport
import Testing

private let curl = "/usr/bin/curl"

@Suite(.enabled(if: access(curl, X_OK) == 0, "curl is not installed"), .ownThreads) struct CurlTests {
  private let program = Program()

  /// A server, its address and its token.
  private func listen() throws -> (server: Subprocess, address: String, token: String) {
    let server = try program.start(["--listen", "http://127.0.0.1:0"])
    let line = try JSONValue(parsing: server.readErrorLine())
    let path = try #require(line["tokenFile"]?.stringValue)
    let token = try Subprocess.run("/bin/cat", [path]).output.filter { !$0.isNewline }
    return (server, try #require(line["listening"]?.stringValue), token)
  }

  private func ask(_ address: String, _ token: String, _ more: [String]) throws -> Subprocess.Outcome {
    let type = more.contains("-d") ? ["-H", "Content-Type: application/json"] : []
    return try Subprocess.run(curl, ["-sS", "-H", "Authorization: Bearer \(token)"] + type + more + [address])
  }

  @Test("curl calls methods and fetches openrpc.json, and gets status 401 with a wrong token")
  func calls() throws {
    let (server, address, token) = try listen()
    let reply = try ask(address + "/rpc", token, ["-d", request("versionInfo.sdkVersion")])
    #expect(try JSONValue(parsing: reply.output)["result"] == "21.7.1")
    let document = try ask(address + "/openrpc.json", token, [])
    let whole = try JSONValue(parsing: Program.run(["schema"]).output)
    let names = whole["methods"]?.arrayValue?.filter { $0["x-sandbox"] != true }.compactMap { $0["name"]?.stringValue }
    let served = try JSONValue(parsing: document.output)
    #expect(served["methods"]?.arrayValue?.compactMap { $0["name"]?.stringValue } == names)
    #expect(served["info"] == whole["info"])
    let refused = try ask(address + "/rpc", "wrong", ["-d", request("versionInfo.sdkVersion"), "-w", "%{http_code}"])
    #expect(refused.output.hasSuffix("401"))
    server.send(signal: SIGTERM)
    #expect(try server.wait().status == 0)
  }

  @Test("curl on /events gets events.gap for an unknown Last-Event-ID, and ends when the server ends")
  func events() throws {
    let (server, address, token) = try listen()
    let enroll = request("enrollmentManager.registerAndEnrollAccount", ["account": "alice@contoso.example"])
    #expect(try ask(address + "/rpc", token, ["-d", enroll]).status == 0)
    let fields = ["-sSN", "-H", "Authorization: Bearer \(token)", "-H", "Last-Event-ID: other/1"]
    let reader = try Subprocess(curl, fields + [address + "/events"])
    let id = try reader.readLine()
    #expect(id.hasPrefix("id: "))
    #expect(id.hasSuffix("/4"))
    #expect(try reader.readLine() == "event: events.gap")
    server.send(signal: SIGTERM)
    #expect(try server.wait().status == 0)
    #expect(try reader.wait().status == 0)
  }
}
