import Glibc
import JSON
import TestSupport
import Testing

@Suite("The diagnostic console", .timeLimit(.minutes(5)), .ownThreads)
struct DiagnosticConsoleTests {
  @Test("The diagnostic console's page has mode 0600, and a host that declared the callback shows it")
  func shown() throws {
    let server = try TestHost.restarting()
    let host = EventHost(server.bridge)
    _ = try host.call("initialize", ["delegates": ["ui.showDiagnosticConsole"]])
    try host.enroll()
    let call = host.send("diagnosticConsole.displayDiagnosticConsole")
    let question = try host.nextQuestion()
    #expect(question["method"] == "ui.showDiagnosticConsole")
    let path = try #require(question["params"]?["path"]?.stringValue)
    var status = stat()
    #expect(stat(path, &status) == 0)
    #expect(status.st_mode & 0o777 == 0o600)
    host.answer(question, ["result": nil])
    #expect(try host.reply(to: call)["result"] == ["path": .string(path)])
    let page = String(decoding: readFile(path) ?? [], as: UTF8.self)
    #expect(page.hasPrefix("<!doctype html>"))
    #expect(page.contains("alice@contoso.example"))
  }

  @Test("Without a callback, displayDiagnosticConsole still writes the page, and a second call replaces it")
  func notShown() throws {
    let host = try TestHost()
    let path = try #require(host.call("diagnosticConsole.displayDiagnosticConsole")["path"]?.stringValue)
    #expect(path == host.folder.file("state/apps/com.example.test/diagnostics.html"))
    let before = try #require(readFile(path))
    try host.enroll()
    _ = try host.call("diagnosticConsole.displayDiagnosticConsole")
    #expect(try #require(readFile(path)) != before)
    let names = try Subprocess.run("/bin/ls", ["-A", host.folder.file("state/apps/com.example.test")]).output
    #expect(!names.contains(".tmp"))
  }

  @Test("The diagnostic console's page lists the launch rules of each account")
  func launchRules() throws {
    let host = try TestHost()
    try host.enroll()
    let path = try #require(host.call("diagnosticConsole.displayDiagnosticConsole")["path"]?.stringValue)
    let page = String(decoding: try #require(readFile(path)), as: UTF8.self)
    let rules = try host.call("conditionalLaunch.evaluate", [.string(TestHost.alice)])["rules"]?.arrayValue ?? []
    let texts = rules.compactMap { $0["text"]?.stringValue }
    #expect(page.contains("Launch rules"))
    #expect(!texts.isEmpty)
    for text in texts { #expect(page.contains(text)) }
  }

  @Test("The diagnostic console's page escapes text that came from the host")
  func escaped() throws {
    let host = try TestHost()
    let name = "<script>alert(\"1\")</script>&'\u{202E}"
    _ = try host.call("diagnosticsLog.write", ["level": "error", "message": .string(name)])
    _ = try host.call("policyManager.setCurrentThreadIdentity", ["account": .string(name), "thread": .string(name)])
    let path = try #require(host.call("diagnosticConsole.displayDiagnosticConsole")["path"]?.stringValue)
    let page = String(decoding: readFile(path) ?? [], as: UTF8.self)
    // Once as data for the page's script, and once as text for browsers without scripts.
    #expect(page.contains(#"\u003cscript>alert(\"1\")\u003c/script>&'"#))
    #expect(page.contains("&lt;script&gt;alert(\"1\")&lt;/script&gt;&amp;'U+202E"))
    #expect(page.split(separator: "<script").count == 3)
  }
}
