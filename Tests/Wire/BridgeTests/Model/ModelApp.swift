/// One app on one device, as API.md and docs/account-life.md say that it is: a small model to hold the bridge against.
struct ModelApp {
  var tenant = ModelTenant()
  var now = TestHost.start.milliseconds
  /// Of each process, whether more than one account may be enrolled, and whether its application must be restarted.
  var allowsMany = [false, false]
  var restartIsDue = [false, false]
  private(set) var hasNetwork = true
  /// In the order of their registration.
  var accounts: [ModelAccount] = []
  /// Whose object ids the app has learnt.
  private(set) var learnt: Set<String> = []
  /// Whose names were forgotten with a wipe, and are not learnt again before they are registered again.
  private var forgotten: Set<String> = []
  private var allowed: [Allowed]?
  /// Those that nobody has looked for yet.
  private(set) var events: [ModelEvent] = []
  var data: [ModelData] = []
  /// The numbers of the single wipes that were begun.
  var begunWipes: Set<Int> = []

  private struct Allowed: Equatable {
    var name: String
    var isListed: Bool
  }

  var isManagementEnabled: Bool { accounts.contains(where: \.isManaged) }

  var primary: ModelAccount? {
    accounts.filter(\.isEnrolled).min { ($0.enrollment ?? 0) < ($1.enrollment ?? 0) }
  }

  func account(_ name: String) -> ModelAccount? { accounts.first { $0.name == name } }

  mutating func takeEvents() -> [ModelEvent] {
    defer { events = [] }
    return events
  }

  mutating func tell(_ type: String, _ name: String?, _ code: Int64? = nil) {
    events.append(ModelEvent(type: type, identity: name.map(ModelTenant.upn), code: code, time: now))
  }

  /// One reading of the source about these names: what is learnt from it, and at the end who is allowed.
  mutating func reading(
    about names: [String], by process: Int, _ body: (inout ModelApp) -> [Outcome]
  ) -> [Int64] {
    let managed = Set(accounts.filter(\.isManaged).map(\.name))
    let outcomes = reading(about: names, body)
    followUp(outcomes, managedBefore: managed, by: process)
    return outcomes.map(\.code)
  }

  mutating func reading(about names: [String], _ body: (inout ModelApp) -> [Outcome]) -> [Outcome] {
    if isReadable { learnNames(names) }
    let outcomes = body(&self)
    if isReadable { learnAllowed() }
    finishWipes()
    return outcomes
  }

  /// The first policy of an account asks for a restart, once in the life of a process.
  mutating func followUp(_ outcomes: [Outcome], managedBefore managed: Set<String>, by process: Int) {
    let first = outcomes.first { $0.code == 100 && !managed.contains($0.name) }
    if let first, !restartIsDue[process] {
      restartIsDue[process] = true
      tell("policyManager.restartRequired", first.name)
    }
  }

  /// A damaged source has a policy that cannot be read, but a tenant.json that can.
  private var isReadable: Bool { hasNetwork && tenant.source != .missing }

  /// Of those who were asked about, who are allowed, and for whom the device is managed.
  private mutating func learnNames(_ asked: [String]) {
    let named = asked + (tenant.allowed ?? []) + [tenant.mdm].compactMap(\.self)
    let listed = Set(named).filter { tenant.users[$0]?.isListed == true }
    forgotten.subtract(listed.filter { account($0) != nil })
    learnt.formUnion(listed.filter { !forgotten.contains($0) })
  }

  /// Somebody wants the account registered.
  mutating func remember(_ name: String) {
    if isReadable, tenant.users[name]?.isListed == true { forgotten.remove(name) }
  }

  /// Nobody learns the name of a wiped account again. An account whose object id was never learnt has nothing to forget.
  mutating func forget(_ name: String) {
    if learnt.remove(name) != nil { forgotten.insert(name) }
  }

  struct Outcome {
    let name: String
    let code: Int64
  }

  private mutating func learnAllowed() {
    let news = tenant.allowed?.map { Allowed(name: $0, isListed: tenant.users[$0]?.isListed == true) }
    guard news != allowed else { return }
    allowed = news
    tell("enrollmentManager.allowedAccountsDidChange", nil)
  }

  mutating func setNetwork(_ isThere: Bool, by process: Int) {
    let isBack = isThere && !hasNetwork
    hasNetwork = isThere
    guard isBack, !accounts.isEmpty else { return }
    _ = checkIn(accounts.map(\.name), by: process)
  }
}

/// What an app has protected for an account.
struct ModelData {
  let owner: String
  let text: String
  let protected: String
  let isEncrypted: Bool
  /// Whether the keys of its owner were destroyed since.
  var isLost = false
}
