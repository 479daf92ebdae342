import Glibc
import SQLite
import TestSupport
import Testing

@testable import MAM
@testable import Model

@Suite struct DeviceTests {
  let fixture = CoreFixture()

  @Test("All apps of a state folder see a change of the device at their next call")
  func shared() throws {
    let core = try fixture.core()
    try core.refresh()
    let app = StateFolder(root: fixture.state.root, appId: "com.example.other")
    let other = Core(CoreConfiguration(stateFolder: app, clock: fixture.clock))
    try other.refresh()
    #expect(try #require(other.currentState).device == Model.Device())
    let device = try core.changeDevice { device in
      device.osVersion = "17.4"
      device.jailbroken = true
      device.threatLevel = .low
      device.managedAppSchemes = ["contoso"]
    }
    #expect(other.currentState == nil)
    try other.refresh()
    #expect(other.state.device == device)
    #expect(core.state.device == device)
    #expect(try fixture.core().changeDevice { _ in } == device)
  }

  @Test("device.db is created at the first change of the device, and only its owner can read it")
  func file() throws {
    let core = try fixture.core()
    try core.refresh()
    #expect(access(fixture.state.device, F_OK) != 0)
    _ = try core.changeDevice { $0.model = "iPhone15,2" }
    var status = stat()
    #expect(stat(fixture.state.device, &status) == 0)
    #expect(status.st_mode & 0o777 == 0o600)
  }

  @Test("An unknown or invalid member of device.db is ignored, and the others are read")
  func strangeMembers() throws {
    _ = try fixture.core().changeDevice { $0.model = "iPhone15,2" }
    let connection = try Connection(path: fixture.state.device)
    try connection.execute(
      """
      INSERT INTO device (name, value) VALUES ('colour', '"red"');
      UPDATE device SET value = '"purple"' WHERE name = 'platform';
      UPDATE device SET value = '{' WHERE name = 'jailbroken';
      """)
    let core = try fixture.core()
    try core.refresh()
    #expect(core.state.device.model == "iPhone15,2")
    #expect(core.state.device.platform == .ios)
    #expect(core.state.device.jailbroken == false)
  }

  @Test(
    "A stored SDK version of an earlier program is replaced, but one that a host has set stays",
    arguments: [("19.2.0", Model.Device.implementedSDKVersion), ("18.0.0", "18.0.0")])
  func levelOfFormerProgram(stored: String, read: String) throws {
    _ = try fixture.core().changeDevice { $0.model = "iPhone14,2" }
    let connection = try Connection(path: fixture.state.device)
    try connection.execute(
      #"PRAGMA user_version = 3; INSERT INTO device (name, value) VALUES ('sdkVersion', '"\#(stored)"')"#)
    let core = try fixture.core()
    try core.refresh()
    #expect(core.state.device.sdkVersion == read)
    _ = try core.changeDevice { $0.model = "iPhone15,2" }
    let count: Int? = try connection.value("SELECT count(*) FROM device WHERE name = 'sdkVersion'")
    #expect(count == (read == Model.Device.implementedSDKVersion ? 0 : 1))
  }

  @Test("A damaged device.db is reported as an error with its path")
  func damaged() throws {
    try fixture.core().refresh()
    fixture.folder.write("no database, but long enough for SQLite to look at its head", to: "state/device.db")
    let error = #expect(throws: MAMError.self) { try self.fixture.core().refresh() }
    #expect(error?.code == .damaged)
    #expect(error?.path == fixture.state.device)
  }

  @Test("A change of the platform applies its policies at once and sends one policyDidChange")
  func platform() throws {
    let core = try fixture.core()
    #expect(try core.enroll("frank") == 100)
    fixture.tenant.folder.write(
      ##"{"@odata.type": "#microsoft.graph.androidManagedAppProtection", "id": "T_2", "pinRequired": false}"##,
      to: "policies/android.json")
    #expect(try core.checkIn() == [101])
    let count = try fixture.events().count
    _ = try core.changeDevice { $0.platform = .android }
    #expect(try fixture.events().dropFirst(count).map(\.summary) == ["policyRequestWithStatus 100", "policyDidChange"])
    #expect(try core.account("frank")?.policy?.effective.platform == .android)
    #expect(try !core.requiresPIN("frank"))
    _ = try core.changeDevice { $0.platform = .android }
    #expect(try fixture.events().count == count + 2)
  }

  @Test("With disableAppPinIfDevicePinIsSet, a managed device's own PIN replaces the app's PIN")
  func devicePIN() throws {
    fixture.tenant.writeTenant(more: #""mdm": {"user": "\#(TenantFolder.upn("frank"))"},"#)
    fixture.tenant.writePolicy(#""pinRequired": true, "disableAppPinIfDevicePinIsSet": true"#)
    let core = try fixture.core()
    #expect(try core.enroll("frank") == 100)
    #expect(try core.state.report(about: .user("frank")).properties.isPINRequired)
    _ = try core.changeDevice { $0.devicePinSet = true }
    #expect(try !core.state.report(about: .user("frank")).properties.isPINRequired)
  }
}
