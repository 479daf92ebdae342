import JSON
import Model
import SQLite
import TestSupport
import Testing

@testable import MAM

@Suite struct OverrideTests {
  let fixture = CoreFixture()

  private func override(_ core: Core, _ key: SettingKey, _ value: JSONValue?) throws {
    try core.settingOverrides.override(SettingChanges([(NamedSetting(key), value)]))
  }

  @Test("Invalid stored overrides are ignored and logged once")
  func damaged() throws {
    let core = try fixture.core()
    try override(core, .accentColor, "#111111")
    let connection = try Connection(path: fixture.state.database)
    for (name, text) in [("Later", "1"), ("BackgroundColor", "\"red\""), ("SplashDuration", "{")] {
      try connection.run("INSERT INTO overrides (name, value) VALUES (?, ?)", name, text)
    }
    let next = try fixture.core()
    try next.refresh()
    #expect(next.state.settings.value(.accentColor).origin == .override)
    #expect(next.state.settings.value(.backgroundColor).origin == .defaults)
    #expect(next.state.settings.value(.splashDuration).origin == .defaults)
    for name in ["Later", "BackgroundColor", "SplashDuration"] {
      #expect(try fixture.warnings(name, in: next).count == 1)
    }
  }

  @Test("The log names overridden settings, but not their values")
  func logged() throws {
    let core = try fixture.core()
    try override(core, .aadClientIdOverride, "secret-client")
    try override(core, .aadClientIdOverride, nil)
    let lines = try core.refresh().log.query(LogQuery(limit: 100)).map(\.message)
    #expect(lines.filter { $0.contains("aadClientIdOverride") }.count == 2)
    #expect(!lines.contains { $0.contains("secret-client") })
  }

  @Test("Sign-in overrides stay until the last enrolled account is unenrolled")
  func accountOverrides() throws {
    let core = try fixture.core("MultiManagedIdentities=true")
    for name in ["alice", "frank", "carol"] { _ = try core.enroll(name) }
    try override(core, .aadClientIdOverride, "client")
    for name in ["carol", "alice"] {
      #expect(try core.unenroll(name) == 104)
      #expect(core.state.settings.string(.aadClientIdOverride) == "client")
    }
    #expect(try core.unenroll("frank") == 104)
    #expect(core.state.settings.string(.aadClientIdOverride) == nil)
  }

  @Test(
    "The tenant's authority is on the server of ADALAuthority, if ADALAuthority names a server",
    arguments: [
      ("https://login.example/common", "https://login.example/"), ("https://a:8443?x#y", "https://a:8443/"),
      ("urn:authority", nil), ("https://", nil),
    ])
  func authority(_ usual: String, _ server: String?) throws {
    let core = try fixture.core("ADALAuthority=\(usual)")
    _ = try core.enroll("alice")
    let tenants = server.map { [$0 + "6babcaad-604b-40ac-a9d7-9fd97c0b779f"] } ?? []
    #expect(core.state.authorities(of: .user("alice")) == tenants + [usual])
  }

  @Test("A launch is reported even if its report cannot be stored")
  func launch() async throws {
    let core = try fixture.core("MAMPolicyRequired=true", "AutoEnrollOnLaunch=true")
    try core.refresh()
    try Connection(path: fixture.state.database).execute("DROP TABLE events; CREATE VIEW events AS SELECT 1 AS seq")
    #expect(try await core.appStart.run(in: LaunchSession()).report.verdict == .block)
  }
}
