import JSON
import TestSupport
import Testing

@Suite struct DeviceTests {
  @Test("device.set changes the members that it is given and keeps the others")
  func set() throws {
    let host = try TestHost()
    let fresh = try host.call("device.get")
    #expect(fresh["platform"] == "ios")
    #expect(fresh["osVersion"] == .null)
    #expect(fresh["networkAvailable"] == true)
    #expect(fresh["sdkVersion"] == "21.7.1")
    #expect(fresh["threatLevel"] == "notConfigured")
    let told: JSONObject = [
      "osVersion": "17.4.1", "appVersion": "2.0", "manufacturer": "Apple", "model": "iPhone15,2", "jailbroken": true,
      "threatLevel": "low", "managedAppSchemes": ["contoso-mail"], "sdkVersion": "19.0",
    ]
    let device = try host.call("device.set", .object(told))
    for member in told.members { #expect(device[member.name] == member.value) }
    let second = try host.call("device.set", ["jailbroken": false, "model": "", "sdkVersion": "", "osVersion": .null])
    #expect(second["jailbroken"] == false)
    #expect(second["model"] == .null)
    #expect(second["sdkVersion"] == "21.7.1")
    #expect(second["osVersion"] == "17.4.1")
    #expect(second["manufacturer"] == "Apple")
    #expect(try host.call("device.get") == second)
  }

  @Test("device.get returns null for values that Android's rules compare until device.set reports them")
  func android() throws {
    let host = try TestHost()
    let members = ["passcodeComplexity", "knoxAttested", "developerOptionsEnabled", "biometricClass"]
    let fresh = try host.call("device.get")
    #expect(members.allSatisfy { fresh[$0] == .null })
    #expect(fresh["biometricsChangedAt"] == .null)
    #expect(fresh["devicePinReported"] == false)
    #expect(try host.call("device.set", ["devicePinSet": false])["devicePinReported"] == true)
    let told: JSONObject = [
      "passcodeComplexity": "medium", "knoxAttested": false, "developerOptionsEnabled": true,
      "biometricClass": "class3", "biometricsChanged": true,
    ]
    let device = try host.call("device.set", .object(told))
    #expect(members.allSatisfy { device[$0] == told[$0] })
    #expect(device["biometricsChangedAt"]?.stringValue != nil)
    #expect(try host.call("device.set", ["jailbroken": false]) == device)
    #expect(try host.call("device.set", ["biometricsChanged": false])["biometricsChangedAt"] == .null)
  }

  @Test(
    "device.set refuses unknown members and invalid values, and names the member's path",
    arguments: [
      (["osVersion": "seventeen"], "/osVersion"), (["platform": "symbian"], "/platform"),
      (["jailbroken": "yes"], "/jailbroken"), (["threatLevel": "extreme"], "/threatLevel"),
      (["colour": "red"], "/colour"), (["passcodeComplexity": "huge"], "/passcodeComplexity"),
      (["biometricClass": 3], "/biometricClass"), (["knoxAttested": "yes"], "/knoxAttested"),
    ] as [(JSONValue, String)])
  func refused(params: JSONValue, path: String) throws {
    let error = try TestHost().error("device.set", params)
    #expect(error["code"] == -32602)
    #expect(error["data"]?["path"] == .string(path))
  }

  @Test("device.set with platform android applies the policies for Android instead of those for iOS")
  func platform() throws {
    let host = try TestHost()
    try host.enroll()
    #expect(try host.call("diagnosticConsole.getDiagnosticInformation")["platform"] == "ios")
    let before = try host.call("policyManager.policy", ["account": .string(TestHost.alice)])
    _ = try host.call("device.set", ["platform": "android"])
    let after = try host.call("policyManager.policy", ["account": .string(TestHost.alice)])
    #expect(before["policies"] != after["policies"])
    #expect(after["managed"] == true)
    #expect(try host.call("diagnosticConsole.getDiagnosticInformation")["platform"] == "android")
    let considered = try host.call("tenant.status")["accounts"]?.arrayValue?.first?["policies"]?.arrayValue ?? []
    let applied = considered.filter { $0["applied"] == true }.compactMap { $0["displayName"]?.stringValue }
    #expect(applied.contains("Contoso data protection for Android"))
    #expect(considered.contains { $0["reason"] == "otherPlatform" })
  }
}
