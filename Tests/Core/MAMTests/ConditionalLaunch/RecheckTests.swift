import Support
import Testing

@testable import MAM
@testable import Model

@Suite(.timeLimit(.minutes(5))) struct RecheckTests {
  private static func policy(_ period: String? = "PT30M") -> String {
    let recheck = period.map { #", "periodOnlineBeforeAccessCheck": "\#($0)""# } ?? ""
    return #""organizationalCredentialsRequired": true"# + recheck
  }

  /// After a sign-in.
  private func launch(_ period: String? = "PT30M") async throws -> LaunchRunFixture {
    let launch = try LaunchRunFixture(Self.policy(period))
    #expect(try await launch.verdict() == .block)
    try await launch.answer(.token("proof"))
    #expect(try await launch.verdict() == .allow)
    return launch
  }

  @Test("A launch asks for a sign-in again after 30 minutes without use in any process")
  func pauses() async throws {
    let launch = try await launch()
    for _ in 0..<3 {
      launch.pass(minutes: 29)
      #expect(try await launch.verdict() == .allow)
      #expect(try await launch.verdict(try launch.fixture.core(), in: LaunchSession()) == .allow)
    }
    launch.pass(minutes: 30)
    let open = try await launch.evaluate(try launch.fixture.core(), in: LaunchSession())
    #expect(open.verdict == .block)
    #expect(open.challenges.map(\.kind) == [.credentials])
    #expect(open.rules.map(\.outcome) == [.challenge])
  }

  @Test("periodOnlineBeforeAccessCheck starts only when the last window leaves the foreground")
  func foreground() async throws {
    let launch = try await launch()
    try launch.session.enter("a")
    try launch.session.enter("b")
    #expect(try await launch.verdict() == .allow)
    launch.pass(minutes: 300)
    #expect(try await launch.verdict() == .allow)
    #expect(launch.session.leave("a", at: launch.core.now) == nil)
    launch.pass(minutes: 300)
    try launch.core.conditionalLaunch.didLeaveForeground(try #require(launch.session.leave("b", at: launch.core.now)))
    launch.pass(minutes: 29)
    #expect(try await launch.verdict() == .allow)
    launch.pass(minutes: 1)
    #expect(try await launch.verdict() == .block, "what is evaluated in the background is no use")
  }

  @Test("If periodOnlineBeforeAccessCheck is zero, each launch needs a sign-in; if unset, one is enough")
  func ends() async throws {
    let launch = try await launch("PT0S")
    #expect(try await launch.verdict() == .block)
    try await launch.answer(.token("proof"))
    #expect(try await launch.verdict() == .allow)
    #expect(try await launch.verdict() == .block)
    let once = try await self.launch(nil)
    once.pass(minutes: 1_000_000)
    #expect(try await once.verdict(in: LaunchSession()) == .allow)
  }

  @Test("The publisher of an app is the first two parts of its app id, in lower case")
  func publisher() throws {
    func publisher(_ appId: String) -> String { StateFolder(root: "/", appId: appId).publisher }
    #expect(publisher("com.contoso.Mail") == "com.contoso")
    #expect(publisher("COM.Contoso") == "com.contoso")
    #expect(publisher("mail") == "mail")
    #expect(publisher("com.contoso.mail.beta") == "com.contoso")
  }

  @Test(
    "Use of another app counts as use of this app only if both have the same publisher",
    arguments: [("com.example.other", false), ("com.contoso.other", true)])
  func sharing(_ appId: String, _ isDue: Bool) async throws {
    let launch = try await launch()
    let other = Core(
      CoreConfiguration(
        stateFolder: StateFolder(root: launch.fixture.state.root, appId: appId),
        tenant: .folder(launch.fixture.tenant.path), clock: launch.fixture.clock))
    #expect(try other.enroll("alice") == 100)
    let alice = try #require(try other.account("alice"))
    #expect(try other.launchChecks.use(of: alice, in: nil).isRecheckDue == isDue)
    #expect(try await launch.verdict(other, in: LaunchSession()) == .block)
  }

  @Test("A canceled sign-in ends a switch of identity with canceled, and the next switch asks again")
  func canceled() async throws {
    let launch = try LaunchRunFixture(Self.policy())
    try await launch.answer(.canceled)
    #expect(try await launch.switchIdentity() == .canceled)
    await #expect(throws: MAMError(.challenge, "")) { try await launch.switchIdentity() }
  }

  @Test("A switch of identity prompts the host's user for the sign-in once")
  func prompt() async throws {
    let launch = try LaunchRunFixture(Self.policy())
    let host = SignInHost(["prompt": .credentials(TenantFolder.upn("alice"), "proof")])
    launch.core.host = host
    #expect(try await launch.switchIdentity() == .success)
    #expect(try await launch.switchIdentity() == .success)
    #expect(host.questions == ["prompt"])
  }

  @Test("remediateCompliance asks for a due sign-in unless silent; a jailbroken device is not compliant")
  func compliance() async throws {
    let launch = try LaunchRunFixture(Self.policy() + #", "deviceComplianceRequired": true"#)
    let compliance = launch.core.compliance
    #expect(try await compliance.remediate(LaunchRunFixture.alice, silent: true) == .interactionRequired)
    launch.core.host = SignInHost(["prompt": .credentials(TenantFolder.upn("alice"), "proof")])
    #expect(try await compliance.remediate(LaunchRunFixture.alice, silent: false) == .compliant)
    try await launch.tell { $0.jailbroken = true }
    #expect(try await compliance.remediate(LaunchRunFixture.alice, silent: true) == .notCompliant)
    let report = try launch.fixture.events().last { $0.type == "hasComplianceStatus" }
    #expect(report?.body["errorTitle"] == "Device not protected")
  }
}
