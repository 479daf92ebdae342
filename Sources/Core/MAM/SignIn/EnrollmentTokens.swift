import Model
import Policy
import SQLite
import Support
import Tenancy

/// Asks for the tokens by which the service of a tenant recognizes its users.
///
/// The first of these that exists is asked, and its refusal is final: a host that declares
/// enrollmentDelegate.getAccessToken; if the policy source asks for tokens, a host that declares auth.acquireToken,
/// silently, and then the program of `--token-command`; the policy source itself, if it can sign in users. If there is
/// none of them, an attempt is made without a token.
///
/// A refusal ends the attempt with status 203. The account keeps its policy, and nothing is wiped. Nobody is asked about
/// an account that the policy source wipes, does not list or has disabled.
package struct EnrollmentTokens: Sendable {
  let live: LiveState
  let hosts: CurrentHost
  let source: TenantSource
  /// The tokens of the policy source that can still be used.
  let held: SourceTokens
  /// The sign-ins that nobody shows.
  let signIns: KeptSignIns
  let keeper: any SignInKeeper

  /// After this time, no further account of the same check-in is asked about.
  private static let patience = Duration.seconds(60)

  private enum Provider {
    case host(TokenDelegate)
    case command(TokenCommand)

    var origin: TokenGrants.Origin {
      switch self {
      case .host: .host
      case .command: .command
      }
    }
  }

  /// Who is asked for tokens, and what the policy source requires of them.
  private struct Demand {
    /// `nil` if the policy source gets the tokens itself.
    var provider: Provider?
    var authentication: TenantAuthentication?
    /// Of a source that can be read, since when it was read; it is not read again for the accounts.
    let tenant: Result<TenantSnapshot, TenantError>?
    let start: ContinuousClock.Instant

    var tenantId: String? { (try? tenant?.get())?.tenantId }
  }

  /// Asks for a token for each account, one after the other because each may involve its user. Empty if no token is
  /// needed, if there is no network, or if nobody can be asked.
  func collect(for references: [AccountReference]) async -> TokenGrants {
    let sourceDeadline = ContinuousClock.now + Self.sourcePatience
    guard !references.isEmpty, let demand = await findDemand() else { return .none }
    guard let provider = demand.provider else { return await collectFromSource(for: references, until: sourceDeadline) }
    var grants = TokenGrants(origin: provider.origin)
    let deadline = ContinuousClock.now + Self.patience
    for reference in needingToken(references, demand) {
      let request = request(for: reference, demand.authentication)
      let answer: TokenAnswer =
        ContinuousClock.now < deadline
        ? await ask(provider, request) : .refused("the questions about other accounts took too long")
      add(answer, request, demand.tenantId ?? live.state.account(reference)?.tenantId, to: &grants)
    }
    return grants
  }

  /// Without those whose fate a policy source that can be read has decided.
  private func needingToken(_ references: [AccountReference], _ demand: Demand) -> [AccountReference] {
    let named = references.filter { $0.kind != .noUser }
    guard let tenant = demand.tenant else { return named }
    let inquiry = source.inquiry(in: tenant, since: demand.start)
    let begun = try? live.refresh().store.read { connection throws(SQLiteError) in try connection.begunOperations() }
    return named.filter { reference in
      switch inquiry.answer(for: StoredAccount(naming: reference), begun: begun ?? []) {
      case .wipe, .refusal(.unlistedUser, _), .refusal(.deletedUser, _), .refusal(.disabledUser, _): false
      case .delivery, .refusal, .fault: true
      }
    }
  }

  /// Whether an attempt must wait until the host has told which requests it answers. `declares` is whether it will answer
  /// requests for tokens, by default what it has declared. A source that cannot be read is too slow for the start of an app.
  func mustWaitForHost(_ declares: Bool? = nil) -> Bool {
    let mayBeAsked = declares ?? (hosts.current.tokenDelegate != nil)
    return mayBeAsked || !source.capabilities.canBeRead || source.provider.knownAuthentication != nil
  }

  /// Asks for the tokens of the accounts that check in: of one account, or of all.
  func collect(forCheckIn reference: AccountReference?) async -> TokenGrants {
    let accounts = live.state.accounts(named: reference).filter { !$0.isWiping }
    return await collect(for: accounts.compactMap(\.reference))
  }

  /// Asks for the tokens of the accounts whose check-ins are due through `end`.
  func collect(dueThrough end: Timestamp) async -> TokenGrants {
    let state = live.state
    let due = state.accounts.filter { !$0.isWiping && $0.plan.checkInDue(on: state.deviceRecord) <= end }
    return await collect(for: due.compactMap(\.reference))
  }

  /// Forgets the token of an account that leaves, and asks for the token with which a service is told that it leaves. The
  /// account does not wait for it, so a refusal is only logged. A tenant folder has nobody to tell, and a source that
  /// knows the registration needs no token to be told.
  func askForFarewell(of reference: AccountReference, _ leaving: Account) {
    defer { held.drop(for: leaving) }
    guard !source.capabilities.usesRegistrations, hasProvider else { return }
    let account = source.fullAccount(of: reference)
    guard let name = account.reference else { return }
    Task(executorPreference: BlockingExecutor.shared) { [self] in
      // The call that began this does not wait for it, so its end does not end this.
      await CallContext.$current.withValue(.lasting) { _ = await collect(for: [name]) }
    }
  }

  /// The grants of a sign-in that has just given this token. A host that declares getAccessToken is asked for another
  /// token, which the policy source expects.
  func grants(of signIn: HostSecret, for reference: AccountReference) async -> TokenGrants {
    if hosts.current.tokenDelegate == .getAccessToken { return await collect(for: [reference]) }
    return .admitting(source.fullAccount(of: reference), signIn)
  }

  /// The grants of a token that a host got for a resource without being asked; a refusal if it cannot be used.
  func grants(
    of token: HostSecret, for reference: AccountReference, _ account: AccountState, resource: String
  ) async -> TokenGrants {
    let (authentication, tenantId) = (await requirement(), source.local?.tenantId ?? account.tenantId)
    var grants = TokenGrants()
    let wanted = authentication?.resource ?? TenantAuthentication.usualResource
    let isForResource = resource.withoutFinalSlash == wanted.withoutFinalSlash
    let answer: TokenAnswer =
      isForResource
      ? .token(EnrollmentToken(token: token)) : .refused("the token is for another resource than \(wanted)")
    add(answer, request(for: reference, authentication, account.account), tenantId, to: &grants)
    return grants
  }

  /// The resource that a sign-in asks a token for, as far as it is known without asking a source outside of this
  /// process.
  package var resource: String {
    source.provider.knownAuthentication?.resource ?? TenantAuthentication.usualResource
  }

  /// What the policy source requires of tokens; `nil` if it asks for none.
  func requirement() async -> TenantAuthentication? { await source.provider.authentication() }

  /// Whether a host or the token command gives tokens.
  private var hasProvider: Bool {
    (hosts.current.tokenDelegate != nil || live.configuration.tokenCommand != nil) && live.state.device.networkAvailable
  }

  /// `nil` if no token is needed or nobody can be asked.
  /// Asks a policy source that does not check tokens only if there is a provider. Without a provider, the policy source
  /// gets the tokens itself.
  private func findDemand() async -> Demand? {
    guard live.state.device.networkAvailable, hasProvider || source.capabilities.checksTokens else { return nil }
    let start = ContinuousClock.now
    let tenant = source.read()
    let authentication = if let tenant { (try? tenant.get())?.authentication } else { await requirement() }
    var demand = Demand(authentication: authentication, tenant: tenant, start: start)
    if let delegate = hosts.current.tokenDelegate, delegate == .getAccessToken || authentication != nil {
      demand.provider = .host(delegate)
    } else if authentication != nil, let words = live.configuration.tokenCommand {
      demand.provider = .command(TokenCommand(words: words, patience: live.configuration.tokenCommandPatience))
    } else if !(await source.provider.canSignIn()) {
      return nil
    }
    return demand
  }

  /// Whether the policy source is asked for tokens itself.
  func areOfSource() async -> Bool {
    await findDemand().map { $0.provider == nil } ?? false
  }

  private func request(
    for reference: AccountReference, _ authentication: TenantAuthentication?, _ known: Account? = nil
  ) -> TokenRequest {
    let resource = authentication?.resource ?? TenantAuthentication.usualResource
    let registration = live.state.registration(of: reference, appId: live.appId)
      .serving(authentication, live.state)
    return TokenRequest(
      account: known ?? source.fullAccount(of: reference), resource: resource,
      scopes: authentication?.scopes ?? [resource + "/.default"], authorities: registration.authorities,
      clientId: registration.clientId, redirectUri: registration.redirectUri)
  }

  private func ask(_ provider: Provider, _ request: TokenRequest) async -> TokenAnswer {
    switch provider {
    case .host(let delegate): await hosts.current.token(for: request, from: delegate)
    case .command(let command): command.run(request)
    }
  }

  private func add(_ answer: TokenAnswer, _ request: TokenRequest, _ tenantId: String?, to grants: inout TokenGrants) {
    switch answer {
    case .token(let token):
      guard let fault = token.fault(for: request.account, tenantId: tenantId, at: live.now) else {
        return grants.admit(request.account, token.token)
      }
      refuse(fault, request, &grants)
    case .refused(let reason): refuse(reason, request, &grants)
    }
  }

  private func refuse(_ reason: String, _ request: TokenRequest, _ grants: inout TokenGrants) {
    grants.refuse(reason, for: request.account)
    guard let log = try? live.refresh().log else { return }
    log.write(.warning, .enrollment, "no token for \(personal: request.account): \(public: reason)")
  }
}

extension TokenGrants {
  fileprivate static func admitting(_ account: Account, _ token: HostSecret) -> TokenGrants {
    var grants = TokenGrants()
    grants.admit(account, token)
    return grants
  }
}

extension AppRegistration {
  /// The registration for a policy source that asks for tokens. What the app overrides wins over what the source says,
  /// and that wins over the app's own settings for any source.
  fileprivate func serving(_ authentication: TenantAuthentication?, _ state: CoreState) -> AppRegistration {
    guard let authentication else { return self }
    let override = state.settings.string(.aadAuthorityUriOverride)
    var seen: Set<String> = []
    let choices = [override, authentication.authority].compactMap { $0 } + authorities
    return AppRegistration(
      clientId: state.settings.string(.aadClientIdOverride) ?? authentication.clientId ?? clientId,
      authorities: choices.filter { seen.insert($0).inserted }, redirectUri: redirectUri)
  }
}

extension String {
  fileprivate var withoutFinalSlash: Substring { hasSuffix("/") ? dropLast() : self[...] }
}
