import JSON
import TestSupport
import Testing

@Suite struct LogLoadTests {
  @Test("No log line is lost or torn when three servers rotate the log at the same time", .timeLimit(.minutes(5)))
  func rotation() throws {
    let program = Program()
    _ = try program.call("diagnosticsLog.write", "level=info", "message=first")
    let (writers, count) = (3, 1000)
    let filling = String(repeating: "x", count: 4000)
    let servers = try (0..<writers).map { _ in try program.start() }
    for (writer, server) in servers.enumerated() {
      for number in 0..<count {
        let message: JSONValue = .string("\(writer)-\(number) \(filling)")
        let line: JSONValue = ["level": "warning", "message": message, "category": "load"]
        server.write(request("diagnosticsLog.write", line, id: .integer(Int64(number))) + "\n")
      }
      server.closeInput()
    }
    for server in servers {
      let outcome = try server.wait()
      #expect(outcome.status == 0)
      #expect(outcome.replies.allSatisfy { $0["error"] == nil })
    }
    let reply = try program.call("diagnosticsLog.query", #"{"category": "load", "limit": 10000}"#)
    let found = try JSONValue(parsing: reply.output).arrayValue ?? []
    let names = found.compactMap { $0["message"]?.stringValue?.split(separator: " ").first.map(String.init) }
    #expect(Set(names).count == writers * count)
    #expect(names.count == writers * count)
    let paths = try JSONValue(parsing: program.call("diagnosticConsole.getIntuneLogPaths").output).arrayValue
    #expect(paths?.count == 2)
  }
}
