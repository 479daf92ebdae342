import Model
import SourceProtocol
import Support
import Tenancy

/// Asks the policy source before accounts check in, while nobody holds a lock.
struct SourceQuestions: Sendable {
  let live: LiveState
  let source: TenantSource
  let registrations: Registrations
  let tokens: EnrollmentTokens
  let managementEnd: ManagementEnd

  /// Asks the source about the accounts, if there is a network. `given` are the tokens that the source asks for. If the
  /// source refuses a token that it got itself, it is asked again with another one. With `announcing`, tells the host
  /// before an account stops being managed.
  func ask(
    _ scope: TenantSource.Scope, with given: TokenGrants, announcing: Bool
  ) async throws(MAMError) -> PolicyInquiry {
    let (state, start, capabilities) = (live.state, ContinuousClock.now, source.capabilities)
    var tokens = given
    var asked = source.accounts(in: scope, state)
    var requests: [SourceRequest] = []
    if capabilities.usesRegistrations {
      let registered = try registrations.all()
      for index in asked.indices {
        let request = try request(about: asked[index], registered, in: state, with: tokens)
        (asked[index].registration, asked[index].etag) = (request.registration.id, request.etag)
        requests.append(request)
      }
    }
    let isNeeded = !asked.isEmpty || capabilities.canBeRead && scope.needsTenant
    var answers: SourceAnswers?
    if isNeeded, state.device.networkAvailable {
      let first = await source.provider.answers(to: requests, until: tokens.deadline)
      answers = try await askingAgain(requests, first, &tokens)
    }
    let inquiry = source.inquiry(asked, answers, of: capabilities, in: state, with: tokens)
    if isNeeded { source.trace(reading: inquiry, ContinuousClock.now - start) }
    if announcing { await managementEnd.announceCheckIns(with: inquiry) }
    return inquiry
  }

  /// Renews the tokens that the source got itself and has refused, and asks again about their accounts.
  private func askingAgain(
    _ requests: [SourceRequest], _ answers: SourceAnswers, _ tokens: inout TokenGrants
  ) async throws(MAMError) -> SourceAnswers {
    guard tokens.origin == .source else { return answers }
    let refusals = zip(requests.indices, answers.replies).compactMap { index, reply -> (index: Int, claims: String?)? in
      guard case .fault(let fault) = reply, fault.kind == .signInNeeded, requests[index].token != nil else {
        return nil
      }
      return (index, fault.claims)
    }
    guard !refusals.isEmpty else { return answers }
    tokens = try await self.tokens.renewed(tokens, for: refusals.map { (requests[$0.index].account, $0.claims) })
    let again = refusals.map(\.index).filter { tokens.token(for: requests[$0].account) != nil }
    let renewed = again.map { index in
      var request = requests[index]
      request.token = tokens.token(for: request.account)
      return request
    }
    guard !renewed.isEmpty else { return answers }
    return answers.replacing(zip(again, await source.provider.answers(to: renewed, until: tokens.deadline).replies))
  }

  private func request(
    about asked: PolicyInquiry.AccountAtRequest, _ registered: RegisteredAccounts, in state: CoreState,
    with tokens: TokenGrants
  ) throws(MAMError) -> SourceRequest {
    let registration = try registrations.registration(of: asked.account, among: registered)
    let machine = SourceDevice(tag: try deviceTag(), name: HostMachine.currentName)
    let known = state.account(at: asked.position)
    let policies = known?.hasTestPolicy == false ? known?.policy?.effective.sources ?? [] : []
    return SourceRequest(
      reason: known?.isEnrolled == true ? .checkIn : .enroll, registration: registration, account: asked.account,
      appId: live.appId, machine: machine, device: state.device, token: tokens.token(for: asked.account),
      etag: known?.etag(on: state.device.platform, version: live.configuration.version),
      applied: policies.map { PolicyVersion(id: $0.id, version: $0.version) })
  }

  private func deviceTag() throws(MAMError) -> String {
    if let tag = live.configuration.deviceTag { return tag }
    return try live.refresh().keys.storeID
  }
}

extension TenantSource {
  /// Which accounts check in.
  enum Scope: Sendable {
    /// One account, registered or not; `nil` for all registered accounts.
    case account(AccountReference?)
    /// The accounts whose check-ins are due through a time.
    case due(through: Timestamp)

    /// The account of the scope if it is not registered.
    func unregistered(in state: CoreState) -> AccountReference? {
      guard case .account(let reference?) = self, state.account(reference) == nil else { return nil }
      return reference
    }

    /// Whether the tenant is wanted even if no account checks in, for what it says about the app.
    var needsTenant: Bool {
      if case .account = self { true } else { false }
    }

    func accounts(in state: CoreState) -> [AccountState] {
      switch self {
      case .account(let reference): state.accounts(named: reference).filter { !$0.isWiping }
      case .due(let end):
        state.accounts.filter { !$0.isWiping && $0.plan.checkInDue(on: state.deviceRecord) <= end }
      }
    }
  }

  /// Like `ask`, for a source that can be read; `nil` for any other source. May block.
  func inquiryByReading(_ scope: Scope = .account(nil), with tokens: TokenGrants = .none) -> PolicyInquiry? {
    guard capabilities.canBeRead else { return nil }
    let start = ContinuousClock.now
    return inquiry(in: live.state.device.networkAvailable ? read() : nil, since: start, about: scope, with: tokens)
  }

  /// What a source that was read, from `start` on, says about the accounts. `tenant` is `nil` without a network.
  func inquiry(
    in tenant: Result<TenantSnapshot, TenantError>?, since start: ContinuousClock.Instant,
    about scope: Scope = .account(nil), with tokens: TokenGrants = .none
  ) -> PolicyInquiry {
    let state = live.state
    let answers = tenant.map { SourceAnswers(tenant: $0) }
    let inquiry = inquiry(accounts(in: scope, state), answers, of: capabilities, in: state, with: tokens)
    trace(reading: inquiry, ContinuousClock.now - start)
    return inquiry
  }

  fileprivate func accounts(in scope: Scope, _ state: CoreState) -> [PolicyInquiry.AccountAtRequest] {
    let registered = scope.accounts(in: state).map { account in
      PolicyInquiry.AccountAtRequest(position: account.position, revision: account.revision, account: account.account)
    }
    guard let new = scope.unregistered(in: state) else { return registered }
    return [PolicyInquiry.AccountAtRequest(position: 0, revision: 0, account: state.directory.account(of: new))]
  }

  fileprivate func inquiry(
    _ asked: [PolicyInquiry.AccountAtRequest], _ answers: SourceAnswers?, of source: SourceCapabilities,
    in state: CoreState, with tokens: TokenGrants
  ) -> PolicyInquiry {
    let directory = state.directory
    return PolicyInquiry(
      asked: asked, answers: answers?.knowing { directory.account(of: $0) }, source: source, appId: live.appId,
      device: state.deviceRecord, level: live.sdkLevel,
      wantsSeveral: state.settings.bool(.multiManagedIdentities), wasConfined: state.isConfined,
      version: live.configuration.version, tokens: tokens)
  }
}
