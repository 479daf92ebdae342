import Glibc
import Testing

@testable import MAM
@testable import Model

@Suite(.timeLimit(.minutes(5))) struct CheckInTests {
  let fixture = CoreFixture()

  /// What the check-ins since an enrollment told.
  private func told(after count: Int) throws -> [String] { try fixture.events().dropFirst(count).map(\.summary) }

  @Test("A check-in with an unchanged source ends with 101 and sends no change event")
  func unchanged() throws {
    let core = try fixture.core()
    #expect(try core.enroll("alice") == 100)
    fixture.clock.advance(byMilliseconds: 60_000)
    fixture.tenant.writePolicy()
    #expect(try core.checkIn() == [101])
    #expect(try core.checkIn("alice") == [101])
    #expect(try told(after: 3) == ["policyRequestWithStatus 101", "policyRequestWithStatus 101"])
    #expect(try fixture.events().last?.time == CoreFixture.start.advanced(by: 60_000))
    #expect(try core.account("alice")?.checkedInAt == CoreFixture.start.advanced(by: 60_000))
    #expect(try core.account("alice")?.enrolledAt == CoreFixture.start)
  }

  @Test("A changed policy ends a check-in with 100, sends one policyDidChange event and applies at once")
  func policyChanged() throws {
    let core = try fixture.core()
    #expect(try core.enroll("alice") == 100)
    #expect(try core.requiresPIN("alice"))
    fixture.tenant.writePolicy(#""pinRequired": false"#)
    #expect(try core.checkIn() == [100])
    #expect(try !core.requiresPIN("alice"))
    #expect(try core.checkIn() == [101])
    #expect(
      try told(after: 3) == ["policyRequestWithStatus 100", "policyDidChange", "policyRequestWithStatus 101"])
  }

  @Test("A changed app configuration sends didChange and leaves the policy unchanged")
  func configurationChanged() throws {
    let core = try fixture.core()
    #expect(try core.enroll("alice") == 100)
    fixture.tenant.writeConfiguration("Good morning")
    #expect(try core.checkIn() == [101])
    #expect(try core.account("alice")?.appConfig.string("greeting", .any) == "Good morning")
    #expect(try told(after: 3) == ["policyRequestWithStatus 101", "didChange"])
  }

  @Test("Removing the policy gives status 103: the account stays enrolled, but is no longer managed")
  func policyRemoved() throws {
    let core = try fixture.core()
    #expect(try core.enroll("frank") == 100)
    fixture.tenant.folder.write("[]", to: "policies/ios.json")
    #expect(try core.checkIn() == [103])
    #expect(try core.checkIn() == [103])
    #expect(try core.account("frank")?.isEnrolled == true)
    #expect(try core.account("frank")?.isManaged == false)
    #expect(!core.state.isManagementEnabled)
    #expect(core.state.policySource == .other)
    fixture.tenant.writePolicy()
    #expect(try core.checkIn() == [100])
    #expect(try core.requiresPIN("frank"))
    let expected = [
      "policyRequestWithStatus 103", "policyDidChange", "managementRemoved", "policyRequestWithStatus 103",
      "policyRequestWithStatus 100",
      "policyDidChange",
    ]
    #expect(try told(after: 2) == expected)
  }

  @Test(
    "A damaged source ends a check-in with 206; the last good policy applies, even after a restart",
    arguments: [
      ("policies/ios.json", #"{"pinRequired": "#, 206), ("tenant.json", "[]", 206),
      ("configurations/mail.json", "5", 206),
    ])
  func damaged(file: String, text: String, code: Int) throws {
    let core = try fixture.core()
    #expect(try core.enroll("alice") == 100)
    fixture.tenant.folder.write(text, to: file)
    #expect(try core.checkIn() == [code])
    #expect(try core.requiresPIN("alice"))
    let restarted = try fixture.core()
    #expect(try restarted.requiresPIN("alice"))
    #expect(try restarted.account("alice")?.status?.statusCode.sdkValue == code)
    fixture.tenant.writeTenant()
    fixture.tenant.writePolicy()
    fixture.tenant.writeConfiguration()
    #expect(try restarted.checkIn() == [101])
    #expect(try told(after: 3) == ["policyRequestWithStatus \(code)", "policyRequestWithStatus 101"])
  }

  @Test(
    "A missing, untyped or unreadable policy file ends a check-in with 206 and keeps the last policy",
    arguments: ["", "type", "link", "pipe", "folder"])
  func unreadable(fault: String) throws {
    let core = try fixture.core()
    #expect(try core.enroll("alice") == 100)
    fixture.tenant.remove("policies/ios.json")
    let path = fixture.tenant.folder.file("policies/ios.json")
    switch fault {
    case "type": fixture.tenant.writePolicy(##""@odata.type": "#microsoft.graph.iosManagedAppProtectio""##)
    case "link": symlink("/nowhere", path)
    case "pipe": mkfifo(path, 0o600)
    case "folder": mkdir(path, 0o700)
    default: break
    }
    #expect(try core.checkIn() == [206])
    #expect(try core.requiresPIN("alice"))
    #expect(try core.account("alice")?.status?.errorString?.hasPrefix("policies/ios.json: ") == true)
    #expect(try core.source.status(of: nil).error?.hasPrefix("policies/ios.json: ") == true)
    #expect(try fixture.core().requiresPIN("alice"))
    let other = CoreFixture()
    let first = try other.core(tenant: .folder(fixture.tenant.path))
    #expect(try first.enroll("alice") == 206)
    #expect(try first.account("alice")?.isEnrolled == false)
  }

  @Test(
    "An enrolled user who is later unlicensed, disabled or unlisted keeps the policy",
    arguments: [
      (TenantFolder.User(name: "alice", isLicensed: false), 200), (.init(name: "alice", isEnabled: false), 203),
      (.init(name: "eve"), 203),
    ])
  func refusedLater(user: TenantFolder.User, code: Int) throws {
    let core = try fixture.core()
    #expect(try core.enroll("alice") == 100)
    fixture.tenant.writeTenant(users: [user])
    #expect(try core.checkIn() == [code])
    #expect(try core.requiresPIN("alice"))
    #expect(try told(after: 3) == ["policyRequestWithStatus \(code)"])
  }

  @Test("A check-in enrolls a registered account if possible; a second one waits until the first unenrolls")
  func enrollsLater() throws {
    let core = try fixture.core()
    #expect(try core.enroll("carol") == 225)
    #expect(try core.enroll("stranger") == 203)
    let users = ["carol", "stranger"].map { TenantFolder.User(name: $0, groups: ["staff"]) }
    fixture.tenant.writeTenant(users: users)
    #expect(try core.checkIn() == [100, 227])
    #expect(try core.checkIn() == [101, 227])
    #expect(try core.unenroll("carol") == 104)
    #expect(try core.checkIn() == [100])
    #expect(try core.account("stranger")?.account.accountId == TenantFolder.id("stranger"))
  }

  @Test("Registrations by id and by name become one account once the source lists the user")
  func twins() throws {
    fixture.tenant.writeTenant(users: [])
    let core = try fixture.core("MultiManagedIdentities=true")
    #expect(try core.enroll("alice") == 203)
    #expect(
      try core.checkIns.registerAndEnroll(AccountReference(TenantFolder.id("alice"))).statusCode == .authRequired)
    fixture.tenant.writeTenant()
    #expect(try core.checkIn() == [100])
    #expect(try core.account("alice") != nil)
    #expect(core.state.accounts.count == 1)
  }

  @Test("A renamed user stays enrolled, and the old name no longer names an account")
  func renamed() throws {
    let core = try fixture.core()
    #expect(try core.enroll("alice") == 100)
    let id = TenantFolder.id("alice")
    #expect(TenantFolder.id("alicia") == id)
    fixture.tenant.writeTenant(users: [.init(name: "alicia", groups: ["staff"])])
    #expect(try core.checkIn() == [101])
    #expect(try core.account("alicia")?.isManaged == true)
    #expect(try core.account("alice") == nil)
    #expect(core.state.directory.areEqual(.user("alicia"), AccountReference(id)))
  }

  @Test("A user principal name that the tenant gives to another user names the new user")
  func reusedName() throws {
    let core = try fixture.core()
    #expect(try core.enroll("carol") == 225)
    #expect(try core.unenroll("carol") == 104)
    let id = "f0000000-44d7-43e1-9a83-5f2406dee5bd"
    fixture.tenant.folder.write(
      #"{"users": [{"id": "\#(id)", "userPrincipalName": "Carol@contoso.example", "licensed": false}]}"#,
      to: "tenant.json")
    #expect(try core.enroll("carol") == 200)
    #expect(core.state.directory.accountId(of: .user("carol")) == id)
    #expect(core.state.directory.account(of: AccountReference(TenantFolder.id("carol"))).identity == nil)
  }

  @Test("Unknown members in the policy source are logged once per check-in")
  func warnings() throws {
    fixture.tenant.writeTenant(more: #""colour": "red","#)
    fixture.tenant.writePolicy(#""pinRequired": true, "shoeSize": 42"#)
    let core = try fixture.core()
    #expect(try core.enroll("alice") == 100)
    for name in ["colour", "shoeSize"] { #expect(try fixture.warnings(name, in: core).count == 1) }
    _ = try fixture.core().account("alice")
    #expect(try fixture.warnings("shoeSize", in: core).count == 1)
    #expect(try core.checkIn() == [101])
    for name in ["colour", "shoeSize"] { #expect(try fixture.warnings(name, in: core).count == 2) }
  }

  @Test("A check-in logs at most 100 warnings about the policy source, and how many more there are")
  func manyWarnings() throws {
    fixture.tenant.writeTenant(more: (0..<130).map { #""colour\#($0)": "red","# }.joined())
    let core = try fixture.core()
    #expect(try core.enroll("alice") == 100)
    #expect(try fixture.warnings("is not known and is ignored", in: core).count == 100)
    #expect(try fixture.warnings("The policy source has 30 more warnings", in: core).count == 1)
  }

  @Test("A policy for managed devices applies only on a managed device")
  func managementLevel() throws {
    fixture.tenant.writePolicy(#""pinRequired": true, "targetedAppManagementLevels": "mdm""#)
    let core = try fixture.core()
    #expect(try core.enroll("frank") == 225)
    fixture.tenant.writeTenant(more: #""mdm": {"user": "\#(TenantFolder.upn("frank"))"},"#)
    #expect(try core.checkIn() == [100])
    let considered = try core.source.status(of: nil).accounts.first?.policies
    #expect(considered?.first { $0.id == "T_1" }?.applied == true)
  }
}
