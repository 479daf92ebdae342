import Glibc
import Testing

@testable import MAM
@testable import Model

/// One account whose surroundings can be made so that a check-in finds what a test wants.
struct LifeWorld {
  static let user = "alice"
  private static let assigned = TenantFolder.User(name: user, groups: ["staff", "mail"])

  private static func operation(_ type: String) -> String {
    #""operations": [{"type": "\#(type)", "app": "*", "user": "\#(TenantFolder.upn(user))"}],"#
  }

  let fixture = CoreFixture()
  let core: Core
  private let network = Network()

  private final class Network {
    var isWanted = true
    var tokens = TokenGrants.none
  }

  /// What an attempt is made with.
  var tokens: TokenGrants { network.tokens }

  /// To the tenant folder, which is not there once this is gone.
  private let link: String

  init() throws {
    link = fixture.folder.file("tenant")
    _ = symlink(fixture.tenant.path, link)
    core = try fixture.core(tenant: .folder(link))
    try core.refresh()
  }

  func bring(to life: AccountLife, isEnrolled: Bool) throws {
    if isEnrolled { #expect(try core.enroll(Self.user) == 100) }
    switch life {
    case .registered: write(TenantFolder.User(name: Self.user))
    case .retrying: try find(.damagedSource)
    case .offline: try find(.noNetwork)
    case .blocked: try find(.unlicensedUser)
    default: return
    }
    try applyNetwork()
    if isEnrolled { _ = try core.checkIn() } else { _ = try core.enroll(Self.user) }
    #expect(try core.account(Self.user)?.life == life)
  }

  /// Of what is found only the network is not yet as it will be.
  func find(_ finding: Finding) throws {
    network.isWanted = finding != .noNetwork
    network.tokens = .none
    fixture.tenant.writePolicy()
    fixture.tenant.writeConfiguration()
    write(Self.assigned)
    switch finding {
    case .noNetwork, .samePolicy: break
    case .noSource: unlink(link)
    case .damagedSource: fixture.tenant.folder.write("{", to: "tenant.json")
    case .damagedPolicies: fixture.tenant.folder.write("{}", to: "policies/ios.json")
    case .unlistedUser: write(TenantFolder.User(name: "zoe"))
    case .deletedUser: write(TenantFolder.User(name: Self.user, isDeleted: true))
    case .disabledUser: write(TenantFolder.User(name: Self.user, isEnabled: false))
    case .noToken:
      let account = Account(accountId: TenantFolder.id(Self.user), identity: TenantFolder.upn(Self.user))
      network.tokens.refuse("the host did not answer", for: account)
    case .managedDevice: try manageWindows()
    case .otherMDMUser: write(Self.assigned, more: #""mdm": {"user": "\#(TenantFolder.upn("frank"))"},"#)
    case .unlicensedUser: write(TenantFolder.User(name: Self.user, isLicensed: false))
    case .wipe:
      write(Self.assigned, more: Self.operation("wipe"))
    case .blockedUser:
      write(Self.assigned, more: Self.operation("wipeAndBlock"))
    case .otherAccount: #expect(try core.enroll("frank") == 100)
    case .newPolicy: fixture.tenant.writePolicy(#""pinRequired": true, "printBlocked": true"#)
    case .noPolicy: write(TenantFolder.User(name: Self.user, groups: ["mail"]))
    case .nothing: write(TenantFolder.User(name: Self.user))
    case .unstartableSource, .brokenSource, .unreachableSource, .noReply, .serviceDisabled, .signInNeeded,
      .tokenCommandFailed, .signInCanceled, .heldWipe:
      Issue.record("a folder cannot lead to \(finding)")
    }
  }

  private func manageWindows() throws {
    write(Self.assigned, more: #""mdm": {"user": "\#(TenantFolder.upn(Self.user))"},"#)
    _ = try core.changeDevice { $0.platform = .windows }
  }

  /// With a network that is back the account checks in by itself.
  func checkIn() throws {
    let isBack = network.isWanted && !core.state.device.networkAvailable
    try applyNetwork()
    if !isBack { _ = try core.checkIns.checkIn(.user(Self.user), with: tokens) }
  }

  func applyNetwork() throws {
    guard network.isWanted != core.state.device.networkAvailable else { return }
    let isWanted = network.isWanted
    _ = try core.hostDevice.store { $0.networkAvailable = isWanted }
    try core.scheduler.runDue(with: tokens)
  }

  func expect(_ row: LifeRow, _ event: String, _ request: String, after count: Int) throws {
    let account = try #require(try core.account(Self.user))
    #expect(account.status?.statusCode == row.rule.code)
    #expect(account.life == (account.isWiping ? .wiping : row.rule.meaning.life))
    #expect(account.isEnrolled == (row.isEnrolled || row.rule.code.didSucceed && !row.rule.wipes))
    let told = try fixture.events().dropFirst(count)
    #expect(told.first?.summary == "\(event) \(row.rule.code.sdkValue)")
    let changes = Set(row.rule.changes.map { $0.split(separator: ".").last.map(String.init) ?? $0 })
    #expect(changes.isSuperset(of: told.dropFirst().map(\.type)))
    #expect(try lastLogLine(of: request).contains("\(row.rule.code.rawValue) (\(row.rule.code.sdkValue))"))
    let status = try #require(try core.source.status(of: .user(Self.user)).accounts.first)
    #expect(status.life == account.life)
    #expect(status.explanation.contains("\(row.rule.code.sdkValue)"))
  }

  /// After a wipe the account is unknown to the app, or stands where the status says.
  func expectEndOfWipe(_ row: LifeRow) async throws {
    guard row.rule.wipes else { return }
    let count = try fixture.events().count
    try await core.wipes.finish(of: nil)
    let account = try core.account(Self.user)
    #expect(account?.life == (row.rule.code == .wipeReceived ? nil : row.rule.meaning.life))
    #expect(account?.isEnrolled ?? false == false)
    #expect(account?.status?.statusCode ?? row.rule.code == row.rule.code)
    let told = try fixture.events().dropFirst(count).map(\.summary)
    let isWipe = row.isEnrolled || row.rule.code == .wipeReceived
    #expect(told.first == (isWipe ? "wipeDidComplete" : nil))
    #expect(told.contains("unenrollRequestWithStatus 104") == (row.rule.code == .wipeReceived))
    #expect(told.contains("policyDidChange") == row.isEnrolled)
    #expect(told.count { $0 == "wipeDidComplete" } <= 1)
  }

  func lastLogLine(of request: String) throws -> String {
    let lines = try core.refresh().log.query(LogQuery(text: request + " <", limit: 1)).map(\.message)
    return lines.first ?? ""
  }

  private func write(_ user: TenantFolder.User, more: String = "") {
    fixture.tenant.writeTenant(users: [user, .init(name: "frank", groups: ["staff"])], more: more)
  }
}
