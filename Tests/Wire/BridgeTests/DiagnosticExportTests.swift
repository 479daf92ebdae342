import Glibc
import JSON
import Model
import Support
import TestSupport
import Testing

@testable import Bridge
@testable import MAM

@Suite("diagnosticsLog.export", .timeLimit(.minutes(5)), .ownThreads)
struct DiagnosticExportTests {
  private static let secrets = [
    "alice@contoso.example", "ALICE@contoso.example", "eve@home.example", "87d349ed", "Alice Adams", "/home/eve",
    "hunter2", "2580", "eyJ0eXAi", "Falcon", "deadbeefdeadbeefdeadbeefdeadbeef",
    "Z3JlZW4gZWdncyBhbmQgaGFtIDEyMzQ1Njc4OQ",
  ]

  private static let planted = [
    "opened by ALICE@contoso.example", "mail to eve@home.example", "object 87d349ed-44d7-43e1-9a83-5f2406dee5bd",
    "wrote /home/eve/My secrets/plan.txt", "password: hunter2", "pin=2580", "PIN 2580", "Bearer eyJ0eXAi.x.y",
    "project=Falcon", "key deadbeefdeadbeefdeadbeefdeadbeef", "key Z3JlZW4gZWdncyBhbmQgaGFtIDEyMzQ1Njc4OQ==",
    #"{"token": "hunter2", "user": "eve@home.example"}"#, "file:///home/eve/plan", "Alice Adams has left",
  ]

  private let host: TestHost

  init() throws {
    host = try TestHost(flags: ["VerboseLoggingEnabled=true", "ValuesToScrubFromLogging=project,signature"])
    try host.enroll()
  }

  private func plant() throws {
    for level in ["verbose", "info", "warning", "error"] as [JSONValue] {
      for message in Self.planted {
        _ = try host.call("diagnosticsLog.write", ["level": level, "message": .string(message), "category": "planted"])
      }
    }
    for category in Self.planted {
      _ = try host.call(
        "diagnosticsLog.write", ["level": "error", "message": "by category", "category": .string(category)])
    }
    _ = try host.call("settings.set", ["values": ["aadClientIdOverride": "87d349ed-44d7-43e1-9a83-5f2406dee5bd"]])
    _ = try host.call("pin.set", ["pin": "2580", "account": "alice@contoso.example"])
    _ = try host.call("policyManager.setUIPolicyIdentity", ["account": "alice@contoso.example", "window": "/home/eve"])
  }

  private func unpack(_ path: String) throws -> [String: String] {
    let folder = TemporaryFolder()
    let run = try Subprocess.run("/bin/tar", ["-xzf", path, "-C", folder.path])
    #expect(run.status == 0, "\(run.errors)")
    let root = folder.file("mambridge-diagnostics")
    let paths = filesOf(folder: root).filter { !$0.hasSuffix("/logs") } + filesOf(folder: root + "/logs")
    let files = paths.compactMap { path in
      readFile(path).map { (String(path.dropFirst(root.utf8.count + 1)), String(decoding: $0, as: UTF8.self)) }
    }
    return Dictionary(uniqueKeysWithValues: files)
  }

  @Test("diagnosticsLog.export with a sessionId asks the host for its logs and adds them unchanged")
  func hostLogs() throws {
    let folder = TemporaryFolder()
    folder.write("the app's own line", to: "notes ä.log")
    let app = EventHost(host.bridge)
    _ = try app.call("initialize", ["delegates": ["diagnosticConsole.collectLogs"]])
    let path = folder.file("archive.tar.gz")
    let call = app.send(
      "diagnosticsLog.export",
      ["path": .string(path), "sessionId": "7f3a", "account": "alice@contoso.example"])
    let question = try app.nextQuestion()
    #expect(question["method"] == "diagnosticConsole.collectLogs")
    #expect(question["params"]?["sessionId"] == "7f3a")
    #expect(question["params"]?["identity"] == "alice@contoso.example")
    let secret = host.bridge.core.configuration.stateFolder.database
    let paths = [folder.file("notes ä.log"), folder.path, folder.file("missing"), secret].map(JSONValue.string)
    app.answer(question, ["result": ["paths": .array(paths)]])
    #expect(try app.reply(to: call)["result"]?["path"] == .string(path))
    let files = try unpackAll(path)
    #expect(files.filter { $0.key.hasPrefix("host/") } == ["host/1-notes__.log": "the app's own line"])

    let plain = folder.file("plain.tar.gz")
    _ = try app.call("diagnosticsLog.export", ["path": .string(plain)])
    #expect(try unpackAll(plain).keys.contains { $0.hasPrefix("host/") } == false)
  }

  private func unpackAll(_ path: String) throws -> [String: String] {
    let folder = TemporaryFolder()
    let run = try Subprocess.run("/bin/tar", ["-xzf", path, "-C", folder.path])
    #expect(run.status == 0, "\(run.errors)")
    let root = folder.file("mambridge-diagnostics")
    let paths = ["", "/logs", "/host"].flatMap { filesOf(folder: root + $0) }
    let files = paths.compactMap { path in
      readFile(path).map { (String(path.dropFirst(root.utf8.count + 1)), String(decoding: $0, as: UTF8.self)) }
    }
    return Dictionary(files) { first, _ in first }
  }

  private func names(in folder: TemporaryFolder) throws -> String {
    try Subprocess.run("/bin/ls", ["-A", folder.path]).output
  }

  private func export(_ name: String = "support.tar.gz") throws -> [String: String] {
    let path = host.folder.file(name)
    let result = try host.call("diagnosticsLog.export", ["path": .string(path)])
    var status = stat()
    #expect(stat(path, &status) == 0)
    #expect(status.st_mode & 0o777 == 0o600)
    #expect(result == ["path": .string(path), "size": .integer(Int64(status.st_size))])
    return try unpack(path)
  }

  @Test("diagnosticsLog.export writes the log, a README, and a report as JSON and as HTML")
  func content() throws {
    try plant()
    let files = try export()
    let names = ["README.txt", "logs/intune.log", "report.html", "report.json"]
    #expect(files.keys.sorted() == names)
    let about = files["README.txt"] ?? ""
    for kind in SecretKind.allCases { #expect(about.contains(kind.summary)) }
    #expect(about.contains("the archive may still contain"))
    let report = try JSONValue(parsing: files["report.json"] ?? "")
    #expect(report["versions"]?["mambridge"] == "1.2.3")
    #expect(report["information"]?["appId"] == "com.example.test")
    #expect(report["settings"]?["VerboseLoggingEnabled"]?["value"] == true)
    #expect(report["accounts"]?.arrayValue?.first?["policy"]?["settings"]?.objectValue?.count ?? 0 > 10)
    #expect(report["accounts"]?.arrayValue?.first?["status"]?["identity"]?.stringValue?.hasPrefix("<user:") == true)
    let lines = files["logs/intune.log"]?.split(separator: "\n") ?? []
    #expect(lines.count >= 4 * Self.planted.count)
    for line in lines { #expect(try JSONValue(parsing: String(line))["time"]?.stringValue?.count == 24) }
  }

  @Test("An exported archive contains no names, addresses, ids, paths, PINs, tokens or keys from the log")
  func planted() throws {
    try plant()
    _ = try host.call("dataProtectionManager.protectString", ["string": "text", "account": "alice@contoso.example"])
    let files = try export()
    let root = try #require(readFile(host.folder.file("state/keys/root.key")))
    let keys = [Base64Bytes(root).jsonValue.stringValue ?? "", root.map { String($0, radix: 16) }.joined()]
    for (name, text) in files {
      for secret in Self.secrets {
        #expect(!text.lowercased().contains(secret.lowercased()), "\(name) holds \(secret)")
      }
      #expect(!text.contains(host.folder.path), "\(name)")
      for key in keys {
        #expect(key.count > 20, "\(name)")
        #expect(!text.contains(key.prefix(20)), "\(name)")
      }
    }
  }

  @Test("diagnosticsLog.export replaces the identities of windows, threads and the process")
  func identities() throws {
    let host = try TestHost(flags: ["MultiIdentity=true"])
    for (place, name) in [("window", "zoewindow"), ("thread", "zoethread")] {
      let method = place == "window" ? "policyManager.setUIPolicyIdentity" : "policyManager.setCurrentThreadIdentity"
      _ = try host.call(method, ["account": .string(name), .init(place): "w1"])
    }
    _ = try host.call("policyManager.setProcessIdentity", ["account": "zoeprocess"])
    let path = host.folder.file("support.tar.gz")
    _ = try host.call("diagnosticsLog.export", ["path": .string(path)])
    let files = try unpack(path)
    let report = try JSONValue(parsing: files["report.json"] ?? "")
    #expect(report["identities"]?["windows"]?["w1"]?.stringValue?.hasPrefix("<user:") == true)
    for (name, text) in files { #expect(!text.contains("zoe"), "\(name)") }
  }

  @Test("diagnosticsLog.export hides the values of app configuration but not their names")
  func appConfig() throws {
    let values = try host.call("appConfig.fullData", ["account": "alice@contoso.example"]).arrayValue ?? []
    let shown = values.flatMap { $0.objectValue?.members ?? [] }.filter { !$0.name.hasPrefix("__") }
    try #require(!shown.isEmpty)
    let text = try export()["report.json"] ?? ""
    let report = try JSONValue(parsing: text)
    let hidden = report["accounts"]?.arrayValue?.first?["appConfig"]?.arrayValue ?? []
    for (index, source) in values.enumerated() {
      for member in source.objectValue?.members ?? [] {
        #expect(hidden[index][member.name]?.stringValue?.hasPrefix("<value:") == true, "\(member.name)")
      }
    }
  }

  @Test("diagnosticsLog.export refuses an existing file, a missing folder and the state folder, with a hint")
  func refused() throws {
    host.folder.write("mine", to: "there.tar.gz")
    let cases: [(String, JSONValue, JSONValue?)] = [
      (host.folder.file("there.tar.gz"), 5001, .integer(Int64(EEXIST))),
      (host.folder.file("no/where.tar.gz"), 5001, .integer(Int64(ENOENT))),
      (host.folder.file("state/apps/x.tar.gz"), 5007, nil),
    ]
    for (path, code, number) in cases {
      let error = try host.error("diagnosticsLog.export", ["path": .string(path)])
      #expect(error["code"] == code, "\(error.jsonText)")
      #expect(error["data"]?["errno"] == number, "\(error.jsonText)")
      #expect(error["data"]?["hint"]?.stringValue?.isEmpty == false)
    }
    #expect(readFile(host.folder.file("there.tar.gz")) == Array("mine".utf8))
    #expect(try host.error("diagnosticsLog.export", ["path": "relative"])["data"]?["path"] == "/path")
  }

  @Test("diagnosticsLog.export reports progress up to 100 percent and leaves only the archive")
  func progress() throws {
    try plant()
    let events = EventHost(host.bridge)
    let folder = TemporaryFolder()
    let path: JSONValue = .string(folder.file("support.tar.gz"))
    _ = try events.call("diagnosticsLog.export", ["path": path, "_meta": ["progressToken": "p"]])
    let told = events.arrivedPushes().filter { $0["method"] == "$/progress" }.compactMap { $0["params"]?["value"] }
    #expect(told.first?["kind"] == "begin")
    #expect(told.last?["kind"] == "end")
    let percentages = told.compactMap { $0["percentage"]?.integerValue }
    #expect(percentages == percentages.sorted())
    #expect(percentages.last == 100)
    #expect(try names(in: folder) == "support.tar.gz\n")
  }

  @Test("diagnosticsLog.export leaves no file if it is cancelled before its commit point")
  func stopped() throws {
    let folder = TemporaryFolder()
    let context = CallContext()
    _ = context.commitPoint.abandon()
    let core = host.bridge.core
    let report = try core.diagnostics.report(version: "1", sdkVersion: "1")
    let path = try #require(AbsolutePath(folder.file("support.tar.gz")))
    let error = CallContext.$current.withValue(context) { () -> MAMError? in
      do throws(MAMError) {
        _ = try core.diagnostics.export(report, to: path)
        return nil
      } catch {
        return error
      }
    }
    #expect(error?.code == .cancelled)
    #expect(try names(in: folder) == "")
  }

  @Test("diagnosticsLog.export works while a required policy is missing")
  func policyRequired() throws {
    let blocked = try TestHost(flags: ["MAMPolicyRequired=true"])
    let path = blocked.folder.file("support.tar.gz")
    _ = try blocked.call("diagnosticsLog.export", ["path": .string(path)])
    let report = try JSONValue(parsing: try unpack(path)["report.json"] ?? "")
    #expect(report["launch"]?["verdict"] == "block")
  }
}
