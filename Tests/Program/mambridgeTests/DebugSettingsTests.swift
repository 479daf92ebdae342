import Glibc
import JSON
import TestSupport
import Testing

@Suite struct DebugSettingsTests {
  private static let alice = "account=alice@contoso.example"
  private static let enabled = ["--set", "DebugSettingsEnabled=true"]
  let program = Program()

  private static func plist(_ dictionary: String) -> String {
    """
    <?xml version="1.0" encoding="UTF-8"?>
    <plist version="1.0"><dict>\(dictionary)</dict></plist>
    """
  }

  @Test(
    "--debug-settings replaces an account's policy with the settings in a file",
    arguments: [
      (
        "MAMDebugSettings.plist", plist("<key>PINEnabled</key><false/><key>AppSharingToLevel</key><integer>0</integer>")
      ),
      ("settings.json", #"{"PINEnabled": 0, "allowedOutboundDataTransferDestinations": "none"}"#),
      (
        "device.json", #"{"com.example.MAMPolicies": {"IntuneMAMPolicies": {"PINEnabled": 0, "AppSharingToLevel": 0}}}"#
      ),
    ])
  func files(name: String, text: String) throws {
    let file = program.folder.write(text, to: name)
    let options = Self.enabled + ["--debug-settings", file]
    _ = try program.call("enrollmentManager.registerAndEnrollAccount", Self.alice)
    #expect(try program.call("policy.isPINRequired", Self.alice).output == "true\n")
    #expect(try program.call("policy.isPINRequired", Self.alice, options: options).output == "false\n")
    let policy = try JSONValue(parsing: program.call("policyManager.policy", Self.alice, options: options).output)
    #expect(policy["policies"] == [["id": "debug", "displayName": "Test policy (--debug-settings)"]])
    #expect(policy["properties"]?["isAppSharingAllowed"] == false)
    let served = try program.serve(
      request("policy.isPINRequired", ["account": "alice@contoso.example"]) + "\n", options: options)
    #expect(served.replies.first?["result"] == false)
  }

  @Test("--debug-settings accepts a binary property list")
  func binary() throws {
    let file = program.folder.file("MAMDebugSettings.plist")
    let script =
      "import plistlib, sys; plistlib.dump({'PINEnabled': 0}, open(sys.argv[1], 'wb'), fmt=plistlib.FMT_BINARY)"
    #expect(try Subprocess.run("/usr/bin/env", ["python3", "-c", script, file]).status == 0)
    _ = try program.call("enrollmentManager.registerAndEnrollAccount", Self.alice)
    let options = Self.enabled + ["--debug-settings", file]
    #expect(try program.call("policy.isPINRequired", Self.alice, options: options).output == "false\n")
  }

  @Test(
    "--debug-settings exits with 78 for an invalid file, and names the key and the fix",
    arguments: [
      (#"{"PINEnabld": 1}"#, "PINEnabld", "did you mean PINEnabled?"),
      (#"{"PINEnabled": "maybe"}"#, "PINEnabled", "true or false"),
      (#"{"AppSharingToLevel": 7}"#, "AppSharingToLevel", "number"), ("[]", "must be a dictionary", "JSON"),
      ("{", "line 1", "JSON"), (plist("<key>PINMinLength</key><string>long</string>"), "PINMinLength", "whole number"),
    ])
  func refused(text: String, name: String, hint: String) throws {
    let file = program.folder.write(text, to: "settings")
    let outcome = try program.call("versionInfo.sdkVersion", options: Self.enabled + ["--debug-settings", file])
    #expect(outcome.status == 78, "\(outcome.errors)")
    #expect(outcome.errors.contains(file), "\(outcome.errors)")
    #expect(outcome.errors.contains(name), "\(outcome.errors)")
    #expect(outcome.errors.contains(hint), "\(outcome.errors)")
  }

  @Test("--debug-settings exits with 78 if DebugSettingsEnabled is false or the file is missing")
  func needs() throws {
    let file = program.folder.write("{}", to: "settings.json")
    let disabled = try program.call("versionInfo.sdkVersion", options: ["--debug-settings", file])
    #expect(disabled.status == 78)
    #expect(disabled.errors.contains("--set DebugSettingsEnabled=true"))
    let gone = try program.call("versionInfo.sdkVersion", options: Self.enabled + ["--debug-settings", "gone.json"])
    #expect(gone.status == 78)
    #expect(gone.errors.contains("gone.json"))
  }
}
