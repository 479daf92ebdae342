import Testing

@testable import MAM
@testable import Model

@Suite struct IdentitiesTests {
  let fixture = CoreFixture()

  /// What is set, and who is effective for a thread and for a window then.
  struct Row: Sendable {
    var main: AccountReference?
    var worker: AccountReference?
    var window: AccountReference?
    var process: AccountReference?
    let forMain: AccountReference?
    let forWorker: AccountReference?
    let forWindow: AccountReference?
  }

  @Test(
    "A thread uses its own identity or the process's; a window uses main's, its own, or the process's",
    arguments: [
      Row(forMain: nil, forWorker: nil, forWindow: nil),
      Row(process: "p", forMain: "p", forWorker: "p", forWindow: "p"),
      Row(window: "w", process: "p", forMain: "p", forWorker: "p", forWindow: "w"),
      Row(main: "m", window: "w", process: "p", forMain: "m", forWorker: "p", forWindow: "m"),
      Row(worker: "t", window: "w", process: "p", forMain: "p", forWorker: "t", forWindow: "w"),
      Row(main: "", worker: "", window: "w", process: "p", forMain: "", forWorker: "", forWindow: ""),
      Row(window: "", process: "p", forMain: "p", forWorker: "p", forWindow: ""),
      Row(process: "", forMain: "", forWorker: "", forWindow: ""),
    ])
  func effective(row: Row) throws {
    let core = try fixture.core("MultiIdentity=true")
    let identities = core.makeIdentities()
    core.processIdentity = row.process
    #expect(try identities.setThread(nil, row.main) == nil)
    #expect(try identities.setThread("worker", row.worker) == nil)
    try identities.setWindow("inbox", row.window)
    for thread in [nil, "main"] { #expect(identities.effectiveIdentity(thread: thread).account == row.forMain) }
    #expect(identities.effectiveIdentity(thread: "worker").account == row.forWorker)
    for thread in [nil, "worker"] {
      #expect(identities.effectiveIdentity(thread: thread, window: "inbox").account == row.forWindow)
    }
  }

  @Test("setThread returns the identity that it replaces, and nil removes the identity")
  func replaced() throws {
    let identities = try fixture.core().makeIdentities()
    #expect(try identities.setThread("t", "alice@contoso.example") == nil)
    #expect(try identities.setThread("t", "") == "alice@contoso.example")
    #expect(identities.thread("t") == .noUser)
    #expect(try identities.setThread("t", nil) == .noUser)
    #expect(identities.thread("t") == nil)
    #expect(identities.thread(nil) == nil)
  }

  @Test("Identities of threads and windows belong to one host, that of the process to all its hosts")
  func scope() throws {
    let core = try fixture.core("MultiIdentity=true")
    let (one, other) = (core.makeIdentities(), core.makeIdentities())
    #expect(try one.setThread(nil, "t") == nil)
    try one.setWindow("w", "u")
    core.processIdentity = "p"
    #expect(other.effectiveIdentity().account == "p")
    #expect(other.effectiveIdentity(window: "w").account == "p")
    #expect(try fixture.core("MultiIdentity=true").makeIdentities().effectiveIdentity().account == nil)
  }

  @Test("Threads and web views can have at most 10,000 names of 4 KiB each; removing one makes room")
  func bounds() throws {
    let identities = try fixture.core().makeIdentities()
    let full = MAMError(.tooManyIdentities, "")
    #expect(throws: full) { try identities.setThread(String(repeating: "x", count: 4097), "a") }
    for number in 0..<10_000 { #expect(try identities.setThread("\(number)", "a") == nil) }
    #expect(throws: full) { try identities.setThread("one more", "a") }
    #expect(try identities.setThread("7", "b") == "a")
    #expect(try identities.setThread("8", nil) == "a")
    #expect(try identities.setThread("one more", "a") == nil)
    let webViews = WebViews()
    for number in 0..<10_000 { try webViews.setPolicy(.unmanaged, of: "\(number)") }
    #expect(throws: full) { try webViews.setPolicy(.unmanaged, of: "one more") }
    try webViews.setPolicy(.unset, of: "8")
    try webViews.setPolicy(.currentIdentity, of: "one more")
    #expect(webViews.policy(of: "one more") == .currentIdentity)
    #expect(webViews.policy(of: "8") == .unset)
  }

  @Test(
    "A window shows an unmanaged account of another tenant, but not of the enrolled account's tenant",
    arguments: [
      ("alice@contoso.example", .success), ("ALICE@Contoso.Example", .success), ("", .success), (nil, .success),
      ("eve@home.example", .success), ("stranger@contoso.example", .notAllowed), ("carol@contoso.example", .notAllowed),
      ("00000000-0000-4000-8000-00000000000a", .success),
    ] as [(AccountReference?, SwitchIdentityResult)])
  func switching(account: AccountReference?, result: SwitchIdentityResult) async throws {
    let core = try fixture.core("MultiIdentity=true")
    let identities = core.makeIdentities()
    #expect(try core.enroll("alice") == 100)
    try core.pins.set("2580")
    #expect(try await core.windows.show(account, window: "w", of: identities, in: LaunchSession()) == result)
    #expect(identities.window("w") == (result == .success ? account : nil))
    let several = try fixture.core("MultiIdentity=true", "MultiManagedIdentities=true")
    let shown = try await several.windows.show(
      account, window: "w", of: several.makeIdentities(), in: LaunchSession())
    #expect(shown == .success)
  }

  @Test("With MAMPolicyRequired and no policy, switching a window's identity fails with policyRequired")
  func policyRequired() async throws {
    let core = try fixture.core("MAMPolicyRequired=true")
    await #expect(throws: MAMError(.policyRequired, "")) {
      try await core.windows.show(.user("alice"), window: nil, of: core.makeIdentities(), in: LaunchSession())
    }
  }
}
