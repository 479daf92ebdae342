import Glibc
import JSON
import TestSupport
import Testing

@Suite(.ownThreads) struct FileSizeLimitTests {
  @Test("A server that reaches the file size limit returns error 6005 and keeps running")
  func limit() throws {
    let program = Program()
    _ = try program.call("enrollmentManager.registerAndEnrollAccount", "account=alice@contoso.example")
    let script = "ulimit -f 128; exec env --default-signal=XFSZ \"$0\" \"$@\""
    let server = try Subprocess("/bin/bash", ["-c", script, Program.path] + program.options)
    var code: JSONValue?
    for _ in 0..<500 where code == nil { code = try server.ask("tenant.checkIn")["error"]?["code"] }
    #expect(code == 6005)
    #expect(try server.ask("policy.isPINRequired")["result"] == true)
    server.closeInput()
    #expect(try server.wait().status == 0)
    #expect(try program.call("tenant.checkIn").status == 0)
  }
}
