import Glibc
import JSON
import TestSupport
import Testing

@Suite(.ownThreads) struct SettingsTests {
  private static let dictionary = """
    <key>MultiIdentity</key><true/><key>ADALClientId</key><string>client</string>
    """

  private static func plist(_ dictionary: String) -> String {
    """
    <?xml version="1.0" encoding="UTF-8"?>
    <plist version="1.0"><dict>\(dictionary)</dict></plist>
    """
  }

  @Test(
    "--settings reads JSON and XML property lists, also from IntuneMAMSettings in an Info.plist",
    arguments: [
      ("settings.json", #"{"MultiIdentity": true, "ADALClientId": "client"}"#),
      ("settings.plist", plist(dictionary)),
      (
        "Info.plist",
        plist("<key>CFBundleName</key><string>App</string><key>IntuneMAMSettings</key><dict>\(dictionary)</dict>")
      ),
      (
        "Info.json",
        #"{"CFBundleName": "App", "IntuneMAMSettings": {"MultiIdentity": true, "ADALClientId": "client"}}"#
      ),
    ])
  func files(_ name: String, _ text: String) throws {
    let program = Program()
    let file = program.folder.write(text, to: name)
    let found = try settings(program, ["--settings", file])
    #expect(found == ["ADALClientId": "client", "MultiIdentity": true])
    let changed = try settings(program, ["--settings", file, "--set", "MultiIdentity=false"])
    #expect(changed["MultiIdentity"] == false)
  }

  @Test("--settings reads a binary property list")
  func binaryFile() throws {
    let program = Program()
    let file = program.folder.file("Info.plist")
    let tool = try Subprocess.run("/usr/bin/env", ["python3", "-c", Self.binaryWriter, file])
    #expect(tool.status == 0, "\(tool.errors)")
    #expect(try settings(program, ["--settings", file]) == ["ADALClientId": "client", "MultiIdentity": true])
  }

  private static let binaryWriter = """
    import plistlib, sys
    info = {"CFBundleName": "App", "IntuneMAMSettings": {"MultiIdentity": True, "ADALClientId": "client"}}
    plistlib.dump(info, open(sys.argv[1], "wb"), fmt=plistlib.FMT_BINARY)
    """

  @Test("settings.set affects other processes at their next call, survives kill -9, and null undoes it")
  func overrides() throws {
    let program = Program()
    func color(_ server: Subprocess) throws -> JSONValue? {
      try server.ask("settings.get", ["names": ["accentColor"]])["result"]?["accentColor"]?["value"]
    }
    func set(_ server: Subprocess, _ color: JSONValue) throws {
      #expect(try server.ask("settings.set", ["values": ["accentColor": color]])["result"] == .null)
    }
    let (first, second) = (try program.start(), try program.start(["--set", "AccentColor=111111"]))
    #expect(try color(second) == "#111111")
    try set(first, "abcdef")
    #expect(try color(second) == "#ABCDEF")
    first.send(signal: SIGKILL)
    _ = try first.wait()
    let third = try program.start()
    #expect(try color(third) == "#ABCDEF")
    try set(third, .null)
    #expect(try color(third) == .null)
    #expect(try color(second) == "#111111")
  }

  @Test("With --set MAMPolicyRequired=true, policy questions fail while there is no policy")
  func honoured() throws {
    let outcome = try Program().call("policy.isPINRequired", options: ["--set", "MAMPolicyRequired=true"])
    #expect(outcome.status == 1)
    #expect(outcome.error?["data"]?["name"] == "policyRequired")
  }

  @Test(
    "--set and --settings exit with 78 for an unknown setting, a wrong value or a missing file",
    arguments: [
      (["--set", "NoSuchSetting=1"], "NoSuchSetting"), (["--set", "MultiIdentity=perhaps"], "MultiIdentity"),
      (["--set", "MultiIdentity"], "KEY=VALUE"), (["--settings", "/nowhere/settings.json"], "/nowhere/settings.json"),
    ])
  func wrong(_ options: [String], _ place: String) throws {
    for arguments in [options, ["call"] + options + ["versionInfo.sdkVersion"]] {
      let outcome = try Program.run(arguments)
      #expect(outcome.status == 78)
      #expect(outcome.output == "")
      #expect(outcome.errors.contains(place))
    }
  }

  @Test(
    "--settings exits with 78 if its file is malformed", arguments: ["{", "<plist>", "[]", #"{"MultiIdentity": []}"#])
  func damaged(_ text: String) throws {
    let program = Program()
    let file = program.folder.write(text, to: "settings")
    let outcome = try program.call("versionInfo.sdkVersion", options: ["--settings", file])
    #expect(outcome.status == 78)
    #expect(outcome.errors.contains(file))
  }

  @Test("--settings warns of an unknown setting in its file and ignores it")
  func unknownMember() throws {
    let program = Program()
    let file = program.folder.write(#"{"Invented": 1}"#, to: "settings.json")
    let outcome = try program.call("versionInfo.sdkVersion", options: ["--settings", file])
    #expect(outcome.status == 0)
    #expect(outcome.output == "\"21.7.1\"\n")
    #expect(outcome.errors.contains("Invented"))
  }

  @Test("Time does not pass on a manual clock by itself")
  func manualClock() throws {
    let server = try Program().start(["--clock", "manual"])
    let times = try (0..<3).map { _ in try server.ask("diagnosticConsole.getDiagnosticInformation")["result"]?["time"] }
    #expect(times[0]?.stringValue != nil)
    #expect(times[0] == times[1])
    #expect(times[1] == times[2])
  }

  private func settings(_ program: Program, _ options: [String]) throws -> JSONValue {
    let outcome = try program.call("diagnosticConsole.getDiagnosticInformation", options: options)
    return try #require(JSONValue(parsing: outcome.output)["settings"])
  }
}
