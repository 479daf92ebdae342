import JSON
import Model
import TestSupport
import Testing

@testable import Bridge
@testable import MAM

@Suite("The setting VerboseLoggingEnabled", .timeLimit(.minutes(5)), .ownThreads)
struct VerboseTests {
  private func lines(_ host: TestHost, _ category: String) throws -> [String] {
    let found = try host.call(
      "diagnosticsLog.query", ["level": "verbose", "category": .string(category), "limit": 1000, "order": "oldest"])
    return (found.arrayValue ?? []).filter { $0["level"] == "verbose" }.compactMap { $0["message"]?.stringValue }
  }

  /// The bytes of the files, as support finds them.
  private func log(_ host: TestHost) throws -> String {
    let paths = try host.call("diagnosticConsole.getIntuneLogPaths").arrayValue ?? []
    return paths.compactMap { $0.stringValue.flatMap(readFile) }.map { String(decoding: $0, as: UTF8.self) }.joined()
  }

  @Test("The verbose log has each policy decision with its reason, each check-in step and each launch rule")
  func decisions() throws {
    let host = try TestHost(flags: ["VerboseLoggingEnabled=true"])
    try host.enroll()
    _ = try host.call("tenant.checkIn")
    _ = try host.call("policy.isSaveToAllowedForLocation", ["location": "dropbox", "account": .string(TestHost.alice)])
    _ = try host.call("conditionalLaunch.evaluate", ["account": .string(TestHost.alice)])
    let decision = try #require(try lines(host, "policy").first { $0.contains("isSaveToAllowedForLocation") })
    #expect(decision.contains(TestHost.alice) || decision.contains("87d349ed"), "\(decision)")
    #expect(decision.contains(": false") || decision.contains(" false: "), "\(decision)")
    #expect(decision.contains("saveAsBlocked true") || decision.contains("allowedDataStorageLocations"), "\(decision)")
    let steps = try lines(host, "enrollment")
    for step in [
      "policy source sample", "enroll ", "check in ", "lists the user, enabled, licensed", "applies",
      "next check-in 2026",
    ] {
      #expect(steps.contains { $0.contains(step) }, "\(step) in \(steps)")
    }
    let rules = try lines(host, "conditionalLaunch")
    let evaluated = try host.call("conditionalLaunch.evaluate", ["account": .string(TestHost.alice)])["rules"]
    for rule in try #require(evaluated?.arrayValue) {
      let setting = rule["setting"]?.stringValue ?? "?"
      #expect(rules.contains { $0.contains(" \(setting) ") }, "\(setting) in \(rules)")
    }
  }

  @Test("The verbose log has the launch verdict of initialize, with the rules if it evaluates an account")
  func launch() throws {
    for (flags, isEvaluated) in [([], true), (["MultiIdentity=true"], false)] {
      let folder = TemporaryFolder()
      try TestHost(flags: flags, folder: folder).enroll()
      let host = try TestHost(flags: flags + ["VerboseLoggingEnabled=true"], folder: folder)
      _ = try host.call("initialize")
      let lines = try lines(host, "conditionalLaunch")
      #expect(lines.contains { $0.contains(" pinRequired challenge. ") } == isEvaluated, "\(lines)")
      let expected = isEvaluated ? "launch: block. pinRequired: " : "launch: allow. MultiIdentity: "
      #expect(lines.contains { $0.hasPrefix(expected) }, "\(lines)")
    }
  }

  @Test("Verbose logging creates no state folder for a process that does not need one")
  func untouched() throws {
    let host = try TestHost(flags: ["VerboseLoggingEnabled=true"])
    _ = try host.call("versionInfo.sdkVersion")
    host.bridge.end()
    #expect(filesOf(folder: host.folder.path).isEmpty)
  }

  @Test("Pending verbose lines are written before the process ends")
  func lastLines() throws {
    let host = try TestHost(flags: ["VerboseLoggingEnabled=true"])
    try host.enroll()
    let core = host.bridge.core
    _ = core.verbose.add(.policy, at: core.now) { "nobody writes this line" }
    host.bridge.end()
    let paths = core.configuration.stateFolder.logs
    let log = filesOf(folder: paths).compactMap(readFile).map { String(decoding: $0, as: UTF8.self) }
    #expect(log.joined().contains("nobody writes this line"))
  }

  @Test("The verbose log has each request to the host with its answer and its time, but no secret")
  func questions() throws {
    let server = try TestHost(flags: ["VerboseLoggingEnabled=true"])
    let host = EventHost(server.bridge)
    _ = try host.call("initialize", ["delegates": ["policyDelegate.restartApplication", "auth.acquireToken"]])
    let login = host.send("enrollmentManager.loginAndEnrollAccount", ["account": .string(TestHost.alice)])
    host.answer(try host.nextQuestion(), ["result": ["accessToken": "hunter2-token"]])
    host.answer(try host.nextQuestion(), ["result": false])
    _ = try host.reply(to: login)
    let lines = try lines(server, "server")
    #expect(
      lines.contains { $0.hasPrefix("host request auth.acquireToken: answered with accessToken (") }, "\(lines)")
    #expect(
      lines.contains { $0.contains("policyDelegate.restartApplication: false (") && $0.hasSuffix(" ms)") }, "\(lines)")
    let log = try log(server)
    #expect(log.contains("acquireToken"))
    #expect(!log.contains("hunter2"))
  }

  @Test("The verbose log contains neither PINs nor protected data")
  func secrets() throws {
    let host = try TestHost(flags: ["VerboseLoggingEnabled=true"])
    try host.enroll()
    let account = JSONValue.string(TestHost.alice)
    _ = try host.call("pin.set", ["pin": "25803", "account": account])
    _ = try host.call("enforcement.copy", ["text": "top-secret-words", "account": account])
    _ = try host.call("enforcement.paste", ["text": "top-secret-words", "account": account])
    _ = try host.call(
      "enforcement.redactNotification", ["title": "top-secret-words", "body": "x", "account": account])
    _ = try host.call("dataProtectionManager.protectString", ["string": "top-secret-words", "account": account])
    #expect(try lines(host, "policy").contains { $0.contains("enforcement.copy") })
    let text = try log(host)
    #expect(text.contains("enforcement.paste"))
    for secret in ["25803", "top-secret-words"] { #expect(!text.contains(secret), "\(secret)") }
  }

  @Test("Without VerboseLoggingEnabled, no verbose lines are logged")
  func off() throws {
    let host = try TestHost()
    try host.enroll()
    _ = try host.call("policy.isSaveToAllowedForLocation", ["location": "dropbox"])
    for category in ["policy", "enrollment", "conditionalLaunch", "server"] {
      #expect(try lines(host, category).isEmpty, "\(category)")
    }
    #expect(!host.bridge.core.verbose.isOn)
  }
}
