import JSON
import MAM
import Model
import Support
import TestSupport
import Testing
import Vault

@testable import Bridge
@testable import Tenancy

@Suite(.ownThreads) struct SandboxSaveTests {
  private static let alice: JSONValue = ["account": "alice@contoso.example"]

  @Test("sandbox.restore brings back state, tenant and time of a save, and sandbox.reset those of the start")
  func restore() throws {
    let host = try sandboxHost()
    _ = try host.call("enrollmentManager.registerAndEnrollAccount", Self.alice)
    let sealed = try host.call(
      "dataProtectionManager.protectString", ["string": "secret", "account": "alice@contoso.example"])
    _ = try host.call("sandbox.save", ["name": "enrolled"])
    for _ in 0..<2 {
      _ = try host.call("sandbox.setUser", ["name": "erin@contoso.example"])
      _ = try host.call("sandbox.wipe", ["account": "alice@contoso.example", "push": true])
      _ = try host.call("debug.advanceClock", ["by": "P30D"])
      #expect(try host.call("enrollmentManager.enrolledAccounts") == [])
      let time = try host.call("sandbox.restore", ["name": "enrolled"])["time"]
      #expect(time == .string(TestHost.start.description))
      #expect(try host.call("debug.advanceClock", ["by": "PT0S"])["time"] == time)
      #expect(try host.call("enrollmentManager.enrolledAccounts").arrayValue?.count == 1)
      #expect(try host.call("dataProtectionManager.unprotectString", ["string": sealed]) == "secret")
      #expect(try host.call("tenant.status")["users"]?.arrayValue?.count == 4)
    }
    _ = try host.call("sandbox.reset")
    #expect(try host.call("enrollmentManager.registeredAccounts") == [])
    #expect(try host.call("policy.isPINRequired", Self.alice) == false)
    _ = try host.call("sandbox.restore", ["name": "enrolled"])
    #expect(try host.call("policy.isPINRequired", Self.alice) == true)
  }

  @Test("A sandbox creates its state and its seed only when a call needs them")
  func late() throws {
    let host = try sandboxHost()
    _ = try host.call("versionInfo.sdkVersion")
    #expect(try Folder.names(host.folder.path) == ["tenant"])
    _ = try host.call("sandbox.setUser", ["name": "erin@contoso.example"])
    _ = try host.call("sandbox.reset")
    #expect(try host.call("tenant.status")["users"]?.arrayValue?.count == 4)
    #expect(try Folder.names(host.folder.path).contains("seed"))
  }

  @Test(
    "A call that was given up before its commit point changes nothing",
    arguments: ["change", "save", "export", "restore"])
  func abandoned(_ what: String) async throws {
    let host = try sandboxHost()
    let (sandbox, core) = (try #require(host.bridge.sandbox), host.bridge.core)
    _ = try host.call("sandbox.save", ["name": "kept"])
    _ = try host.call("sandbox.setUser", ["name": "erin@contoso.example"])
    let before = try sandbox.contents()
    let export = try #require(AbsolutePath(host.folder.file("export")))
    let context = CallContext()
    #expect(context.commitPoint.abandon())
    let error = await #expect(throws: MAMError.self) {
      try await CallContext.$current.withValue(context) {
        switch what {
        case "change":
          try await sandbox.changeTenant { tenant throws(TenantWriteError) in
            try tenant.removeUser("erin@contoso.example")
          }
        case "save": try sandbox.save("new", core)
        case "export": try sandbox.export(to: export, core)
        default: _ = try await sandbox.restore("kept", core)
        }
      }
    }
    #expect(error?.code == .cancelled)
    let after = try sandbox.contents()
    #expect(after.tenant.users.map(\.id) == before.tenant.users.map(\.id) && after.saves == before.saves)
    #expect(!Folder.exists(export.text))
    #expect(try Folder.names(host.folder.path).allSatisfy { !$0.hasPrefix("export") })
  }

  @Test("sandbox.save replaces an earlier save of the same name")
  func saveAgain() throws {
    let host = try sandboxHost()
    _ = try host.call("sandbox.save", ["name": "it"])
    _ = try host.call("enrollmentManager.registerAndEnrollAccount", Self.alice)
    _ = try host.call("sandbox.save", ["name": "it"])
    _ = try host.call("sandbox.reset")
    _ = try host.call("sandbox.restore", ["name": "it"])
    #expect(try host.call("enrollmentManager.enrolledAccounts").arrayValue?.count == 1)
  }

  @Test("sandbox.export writes a folder that starts another sandbox, and refuses an existing folder")
  func export() throws {
    let host = try sandboxHost()
    _ = try host.call("enrollmentManager.registerAndEnrollAccount", Self.alice)
    _ = try host.call("debug.advanceClock", ["by": "P1D"])
    let folder = TemporaryFolder()
    _ = try host.call("sandbox.export", ["folder": .string(folder.file("out"))])
    let error = try host.error("sandbox.export", ["folder": .string(folder.file("out"))])
    #expect(error["data"]?["name"] == "unsuitableFile")
    let other = TemporaryFolder()
    let home = SandboxFolder(root: other.path, appId: "com.example.test", trustsParents: true)
    let start = try home.begin(withExport: folder.file("out"), at: nil)
    #expect(start == TestHost.start.advanced(by: 86_400_000))
    let second = try TestHost(.folder(home.tenant.path), folder: other, sandbox: Sandbox(home))
    #expect(try second.call("enrollmentManager.enrolledAccounts").arrayValue?.count == 1)
    #expect(throws: MAMError.self) { try home.begin(withExport: folder.path, at: nil) }
  }

  @Test("sandbox.environment returns the variables for the state, the tenant, the app and the clock")
  func environment() throws {
    let host = try sandboxHost()
    let variables = try host.call("sandbox.environment")
    #expect(variables["MAMBRIDGE_STATE"] == .string(host.folder.file("state")))
    #expect(variables["MAMBRIDGE_TENANT"] == .string(host.folder.file("tenant")))
    #expect(variables["MAMBRIDGE_APP_ID"] == "com.example.test")
    #expect(variables["MAMBRIDGE_CLOCK"]?.stringValue == "manual=\(TestHost.start)")
  }
}
