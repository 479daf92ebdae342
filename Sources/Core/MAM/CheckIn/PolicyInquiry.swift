import Model
import Policy
import Support
import Tenancy

/// What the policy source has answered about the accounts that check in.
struct PolicyInquiry: Sendable {
  /// An account as it was when the source was asked about it.
  struct AccountAtRequest: Sendable {
    /// 0 for an account that is not registered yet.
    let position: Int
    let revision: Int64
    let account: Account
    /// `nil` for a source that does not use registrations.
    var registration: String?
    /// Of the request.
    var etag: String?
  }

  let asked: [AccountAtRequest]
  /// `nil` without a network.
  let answers: SourceAnswers?
  let source: SourceCapabilities
  private let news: [SourceNews]
  /// The tenant that says which accounts are allowed; `nil` if the source says nothing, or nothing new, about that.
  let allowance: TenantSnapshot?
  /// The tenant that says how the device is managed; `nil` if the source says nothing, or nothing new, about that.
  let management: TenantSnapshot?
  /// The places in `asked` by the positions of registered accounts.
  private let places: [Int: Int]
  let appId: String
  let device: DeviceRecord
  /// The SDK level of the caller, which decides how statuses are read.
  let level: SDKLevel
  /// Whether the settings allow several accounts.
  let wantsSeveral: Bool
  /// Whether the management of the device confined the app to one account at the last check-in.
  let wasConfined: Bool
  /// The version of this program.
  let version: String
  /// The tokens that were asked for, and the refusals.
  let tokens: TokenGrants

  init(
    asked: [AccountAtRequest], answers: SourceAnswers?, source: SourceCapabilities, appId: String, device: DeviceRecord,
    level: SDKLevel, wantsSeveral: Bool, wasConfined: Bool, version: String, tokens: TokenGrants
  ) {
    (self.asked, self.answers, self.source) = (asked, answers, source)
    (self.appId, self.device, self.level) = (appId, device, level)
    (self.wantsSeveral, self.wasConfined, self.version, self.tokens) = (wantsSeveral, wasConfined, version, tokens)
    places = Dictionary(zip(asked.map(\.position), asked.indices), uniquingKeysWith: { first, _ in first })
    news = answers?.news(about: asked.map(\.account)) ?? []
    allowance = news.last { $0.says(.allowedAccounts) }?.tenant
    management = news.last { $0.says(.mdm) }?.tenant
  }

  /// The tenant as each reply shows it.
  var snapshots: [TenantSnapshot] { news.map(\.tenant) }

  /// Whether the source was asked about the account, and no other answer about it was stored since.
  func isCurrent(_ stored: StoredAccount, among registrations: RegisteredAccounts) -> Bool {
    guard let asked = places[stored.position].map({ self.asked[$0] }) else { return false }
    return asked.revision == stored.revision && asked.account.sharesName(with: stored.account)
      && (asked.registration == nil || asked.registration == registrations.registration(of: stored.account)?.id)
  }

  /// Whether a source outside of this process was asked, under registrations.
  var usesRegistrations: Bool { asked.contains { $0.registration != nil } }

  /// Whether several accounts may be enrolled: the management of the device can forbid it.
  var allowsSeveral: Bool { wantsSeveral && !isConfined }

  /// Whether the management of the device confines the app to one account. If the source says nothing new about the
  /// device, its last word counts.
  private var isConfined: Bool { management?.isConfined ?? wasConfined }

  /// Whether an account that is not enrolled may enroll. `others` says whether another account is enrolled.
  func place(beside others: Bool) -> EnrollmentPlace {
    guard others, !allowsSeveral else { return .free }
    return wantsSeveral ? .confined : .taken
  }

  /// How the device is managed, from the point of view of a user. An account beside that of the device's user is
  /// managed in this app only.
  func managementLevel(of user: TenantUser, in tenant: TenantSnapshot) -> AppManagementLevel {
    allowsSeveral && !tenant.isDeviceUser(user) ? .unmanaged : tenant.managementLevel
  }

  /// The answer of the source: the first finding that applies. `begun` contains the single wipes that must not begin
  /// again.
  func answer(for stored: StoredAccount, begun: Set<BegunOperation>) -> AccountAnswer {
    guard let answers else { return .refusal(.noNetwork, EnrollmentText.noNetwork) }
    let place = place(of: stored)
    return switch answers.reply(at: place) {
    case nil: .fault(SourceFault(.broken, SourceText.notAnswered))
    case .fault(let fault): .fault(tokens.explaining(fault, for: stored.account))
    case .news(let news): answer(for: stored, news, to: place.map { asked[$0] }, begun)
    }
  }

  /// What the source says about wipes; a refusal can say it, too. `nothing` if the source does not answer or does not
  /// mention wipes: its answer may be older than the one that put wipes on hold.
  func hold(for stored: StoredAccount) -> HoldNews {
    let place = place(of: stored)
    switch answers?.reply(at: place) {
    case nil: return .nothing
    case .fault(let fault): return fault.hold
    case .news(let news):
      guard fault(of: news, about: stored, to: place.map { asked[$0] }) == nil else { return .nothing }
      if let hold = news.hold { return .held(hold) }
      return news.isWhole || !news.absent.contains(.hold) ? .lifted : .nothing
    }
  }

  private func place(of stored: StoredAccount) -> Int? {
    places[stored.position].flatMap { asked[$0].account.sharesName(with: stored.account) ? $0 : nil }
  }

  /// Why the answer cannot be used for the account; `nil` if it can.
  private func fault(of news: SourceNews, about stored: StoredAccount, to request: AccountAtRequest?) -> SourceFault? {
    if news.isOfOther(than: stored) { return SourceFault(.broken, SourceText.otherUser) }
    let isReply = !news.isUnchanged || request?.etag != nil
    return isReply ? nil : SourceFault(.broken, SourceText.unchangedWithoutEtag)
  }

  private func answer(
    for stored: StoredAccount, _ news: SourceNews, to request: AccountAtRequest?, _ begun: Set<BegunOperation>
  ) -> AccountAnswer {
    if let fault = fault(of: news, about: stored, to: request) { return .fault(fault) }
    let answer = answer(about: news.user(of: stored), in: news.tenant, begun, for: stored)
    guard case .delivery(let delivery) = answer, !news.isWhole else { return answer }
    if news.absent.contains(.operations), stored.isBlocked { return .refusal(.blockedUser, EnrollmentText.blocked) }
    var completed = news.completed(delivery, of: stored)
    completed.version = version
    return .delivery(completed)
  }

  /// The names that the state learns: of the accounts that the source was asked about, of the accounts that it allows, of
  /// the device's user, and of `others`. If a deleted user and a current user have the same name, it is the current
  /// user's.
  func names(besides others: some Sequence<String>) -> AccountDirectory {
    let others = others.filter { !$0.isEmpty }.map { AccountReference($0) }
    let users = news.flatMap { $0.isWhole ? self.users(of: others, in: $0.tenant) : Array($0.tenant.users) }
    let taken = Set(users.filter { !$0.isDeleted }.map(\.userPrincipalName.lowercasedASCII))
    let current = users.filter { !$0.isDeleted || !taken.contains($0.userPrincipalName.lowercasedASCII) }
    return AccountDirectory(
      Dictionary(
        current.map { ($0.id.lowercasedASCII, $0.userPrincipalName) }, uniquingKeysWith: { first, _ in first }))
  }

  private func users(of others: [AccountReference], in tenant: TenantSnapshot) -> [TenantUser] {
    let names = asked.flatMap { [$0.account.accountId, $0.account.identity].compactMap(\.self) }
    let device = [tenant.mdm?.user].compactMap(\.self)
    return (names.map { AccountReference($0) } + (tenant.allowedAccounts ?? []) + device + others)
      .compactMap { tenant.currentUser(for: $0) }
  }

  /// What was ignored in the source.
  var warnings: [PolicyWarning] { snapshots.flatMap(\.warnings) }

  private func answer(
    about user: TenantUser?, in tenant: TenantSnapshot, _ begun: Set<BegunOperation>, for stored: StoredAccount
  ) -> AccountAnswer {
    let texts = refusalTexts(for: stored, in: tenant)
    guard let user else {
      let isRecreated = stored.account.identity.flatMap { tenant.user(for: AccountReference($0)) } != nil
      return .refusal(.unlistedUser, isRecreated ? SourceText.recreated : texts.unlisted)
    }
    if let order = tenant.wipeOrder(for: user, in: appId, begun: begun) { return .wipe(order) }
    guard !user.isDeleted else { return .refusal(.deletedUser, texts.deleted) }
    guard user.isEnabled else { return .refusal(.disabledUser, texts.disabled) }
    if !source.checksTokens, let refusal = tokens.refusal(for: user.account) { return .refusal(.noToken, refusal) }
    if source.wantsTokens, tokens.token(for: user.account) == nil {
      return .fault(SourceFault(.signInNeeded, SourceText.tokenNeeded))
    }
    let isManagedWindows = tenant.mdm != nil && device.device.platform == .windows
    if !isManagedWindows {
      if tenant.mdm != nil, !tenant.isDeviceUser(user), !allowsSeveral {
        return .refusal(.otherMDMUser, EnrollmentText.otherMDMUser)
      }
      guard user.isLicensed else { return .refusal(.unlicensedUser, texts.unlicensed) }
    }
    let hasPolicies = stored.documents[.policy]?.isEmpty == false
    if let fault = tenant.policyFault ?? (hasPolicies ? tenant.missingPolicies : nil) {
      return .fault(source.canBeRead ? SourceFault(.damagedPolicies, fault.description) : .unreadableAnswer(fault))
    }
    return .delivery(isManagedWindows ? managedWindows(user, in: tenant) : delivery(for: user, in: tenant))
  }

  private func refusalTexts(for stored: StoredAccount, in tenant: TenantSnapshot) -> RefusalTexts {
    guard source.canBeRead else { return .remote }
    guard source.isOfSandbox else { return .local }
    let names = tenant.users.filter { !$0.isDeleted }.map(\.userPrincipalName)
    return .sandbox(nearest: stored.account.identity.flatMap(names.nearestUser))
  }

  /// App protection on Windows ends when the device becomes managed: no policy applies any longer.
  private func managedWindows(_ user: TenantUser, in tenant: TenantSnapshot) -> Delivery {
    var delivery = delivery(for: user, in: tenant)
    delivery.content.policies = []
    delivery.barsEnrollment = true
    return delivery
  }

  private func delivery(for user: TenantUser, in tenant: TenantSnapshot) -> Delivery {
    let targeting = tenant.targeting(
      of: user, app: appId, platform: device.device.platform, managementLevel: managementLevel(of: user, in: tenant),
      on: FilterDevice(device.device))
    return Delivery(
      account: user.account, tenantId: tenant.tenantId, isMDM: tenant.isDeviceUser(user),
      content: DeliveryContent(
        policies: targeting.policies, appConfig: tenant.appConfig(of: user, targeting),
        certificatePins: tenant.certificatePins),
      clock: user.clock.map(ClockEntry.init))
  }
}

extension SourceAnswers {
  /// The replies, except those about other users than `accounts`. A reply about all accounts also counts if there are no
  /// accounts.
  fileprivate func news(about accounts: [Account]) -> [SourceNews] {
    if case .news(let news)? = reply(at: nil) { return [news] }
    return zip(accounts, replies).compactMap { $1.news(about: $0) }
  }
}

extension SourceReply {
  /// `nil` for a fault, and for a reply about another user.
  fileprivate func news(about account: Account) -> SourceNews? {
    guard case .news(let news) = self else { return nil }
    let (wanted, found) = (account.accountId?.lowercasedASCII, news.tenant.users.first?.account.accountId)
    return wanted == nil || found == nil || wanted == found ? news : nil
  }
}

extension SourceNews {
  /// `nil` if the source does not know the user.
  fileprivate func user(of stored: StoredAccount) -> TenantUser? {
    isWhole ? tenant.user(for: stored.reference) : tenant.users.first
  }

  /// Whether the answer is about another user than the account was enrolled for.
  fileprivate func isOfOther(than stored: StoredAccount) -> Bool {
    guard !isWhole, let user = tenant.users.first else { return false }
    let isOtherUser = stored.account.accountId.map { $0.lowercasedASCII != user.account.accountId } ?? false
    let isOtherTenant = stored.tenantId.map { $0.lowercasedASCII != tenant.tenantId.lowercasedASCII } ?? false
    return isOtherUser || isOtherTenant
  }

  /// The delivery with the members that the answer left out, as they are stored. If the source says that nothing has
  /// changed, all of it is as stored.
  fileprivate func completed(_ delivery: Delivery, of stored: StoredAccount) -> Delivery {
    var delivery = delivery
    (delivery.nextCheckIn, delivery.etag) = (nextCheckIn, etag)
    var warnings: [String] = []
    let before = DeliveryContent(stored.documents, warnings: &warnings)
    guard isUnchanged else {
      delivery.content.fillIn(absent, from: before)
      if absent.contains(.mdm) { delivery.isMDM = stored.isMDM }
      return delivery
    }
    return Delivery(
      account: delivery.account, tenantId: delivery.tenantId, isMDM: stored.isMDM, content: before, clock: stored.clock,
      nextCheckIn: nextCheckIn,
      etag: etag ?? stored.etag, unchangedDocuments: stored.documents)
  }
}

extension TokenGrants {
  /// The fault with its cause: why no token was given, if the source needs one, or why the source could not get the token
  /// itself.
  fileprivate func explaining(_ fault: SourceFault, for account: Account) -> SourceFault {
    if var first = self.fault(for: account), fault.kind == .signInNeeded || !first.isOfUser {
      first.retryAfter = [first.retryAfter, fault.retryAfter].compactMap { $0 }.max()
      return first
    }
    guard fault.kind == .signInNeeded, let refusal = refusal(for: account) else { return fault }
    return SourceFault(
      origin == .command ? .tokenCommandFailed : .signInNeeded, refusal, retryAfter: fault.retryAfter)
  }
}

extension SourceFault {
  var finding: Finding {
    switch kind {
    case .missing: .noSource
    case .damaged: .damagedSource
    case .damagedPolicies: .damagedPolicies
    case .cannotStart: .unstartableSource
    case .broken: .brokenSource
    case .unreachable: .unreachableSource
    case .late: .noReply
    case .disabled: .serviceDisabled
    case .signInNeeded: .signInNeeded
    case .tokenCommandFailed: .tokenCommandFailed
    case .signInCanceled: .signInCanceled
    }
  }
}

extension ClockEntry {
  fileprivate init(_ entry: TenantUser.ClockEntry) {
    self.init(status: entry.status, updated: entry.updated.flatMap { Timestamp($0) })
  }
}

/// Whether an account that is not enrolled may enroll beside those that are.
enum EnrollmentPlace: Sendable {
  case free
  /// Another account is enrolled, and the settings allow only one.
  case taken
  /// Another account is enrolled, and the management of the device allows only one, whatever the settings say.
  case confined

  /// Why the account may not enroll.
  var text: String { self == .confined ? EnrollmentText.confined : EnrollmentText.singleAccount }
}

/// What the policy source says about an account, independent of the stored state.
enum AccountAnswer: Sendable {
  case delivery(Delivery)
  /// The source delivers nothing; the text says why and what to do.
  case refusal(Finding, String)
  /// The source does not answer.
  case fault(SourceFault)
  /// Everything that the app holds of the account is wiped, whatever else applies to the account.
  case wipe(WipeOrder)
}

/// What the policy source delivers for an account in this app.
struct Delivery: Sendable {
  /// The account, with its names as the source writes them.
  let account: Account
  let tenantId: String
  var isMDM: Bool
  var content: DeliveryContent
  let clock: ClockEntry?
  /// Whether the device cannot be enrolled as it is managed now.
  var barsEnrollment = false
  /// How long the source wants the account to wait before its next check-in; `nil` for the usual time.
  var nextCheckIn: Duration?
  /// What a source outside of this process calls the content.
  var etag: String?
  /// The version of this program, which has read the content.
  var version = ""
  /// The stored documents, if the source says that they have not changed.
  var unchangedDocuments: [StoredAccount.DocumentKind: [String]]?
}
