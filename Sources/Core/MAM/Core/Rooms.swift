import Model

/// Makes the rooms, each as a value when it is used, out of the small parts that it uses. A core makes them out of its own
/// parts; for a question what would be if, others take the place of some.
package protocol Rooms: Sendable {
  var parts: Parts { get }
}

extension Parts: Rooms {
  package var parts: Parts { self }
}

extension Rooms {
  /// The state by which the rooms answer.
  package var state: CoreState { live.state }
  package var language: Language { live.language }

  private var live: LiveState { parts.live }
  private var hosts: CurrentHost { parts.hosts }
  private var memory: ProcessMemory { parts.memory }
}

/// Enrollment, check-ins and sign-ins.
extension Rooms {
  package var enrollment: Enrollment {
    Enrollment(
      live: live, ongoing: memory.ongoingEnrollments, checkIns: checkIns, questions: questions, wipes: wipes,
      restarts: restarts)
  }
  var checkIns: CheckIns { CheckIns(live: live, source: source, screens: screens) }
  package var login: Login {
    Login(
      live: live, hosts: hosts, ongoing: memory.ongoingEnrollments, source: source, tokens: tokens,
      enrollment: enrollment, challenges: challenges)
  }
  package var scheduler: Scheduler {
    Scheduler(
      live: live, checkIns: checkIns, questions: questions, wipes: wipes, reports: reports, restarts: restarts,
      screens: screens)
  }
  package var dueTimes: DueTimes { DueTimes(live: live, pins: pins, challenges: challenges) }
  package var source: TenantSource { TenantSource(live: live, ongoing: memory.ongoingEnrollments) }
  var questions: SourceQuestions {
    SourceQuestions(
      live: live, source: source, registrations: registrations, tokens: tokens, managementEnd: managementEnd)
  }
  var prospects: Prospects { Prospects(live: live, source: source) }
  var registrations: Registrations { Registrations(live: live) }
  var sourceWatch: SourceWatch { SourceWatch(live: live, source: source.provider, registrations: registrations) }
  var reports: Reports { Reports(live: live, source: source.provider, registrations: registrations) }
  package var managedUser: ManagedUser {
    ManagedUser(live: live, source: source.provider, checks: memory.managedUserChecks)
  }
  package var tokens: EnrollmentTokens {
    EnrollmentTokens(
      live: live, hosts: hosts, source: source, held: memory.sourceTokens, signIns: memory.keptSignIns,
      keeper: signInKeeper)
  }
  var managementEnd: ManagementEnd { ManagementEnd(live: live, hosts: hosts, prospects: prospects) }
  package var restarts: Restarts { Restarts(live: live, restart: memory.restart, hosts: hosts) }
  package var hostDevice: HostDevice { HostDevice(live: live, scheduler: scheduler) }
  package var wipes: Wipes {
    Wipes(live: live, hosts: hosts, screens: screens, nameKeepers: nameKeepers, listener: reports)
  }
}

/// The start of the app, conditional launches, and what they ask of the user.
extension Rooms {
  package var appStart: AppStart {
    AppStart(
      live: live, hosts: hosts, identity: memory.identity, screens: screens, challenges: challenges,
      launches: conditionalLaunch, autoEnrollment: autoEnrollment, managedUser: managedUser)
  }
  private var autoEnrollment: AutoEnrollment {
    AutoEnrollment(
      live: live, hosts: hosts, source: source, tokens: tokens, login: login, enrollment: enrollment, restarts: restarts
    )
  }
  package var conditionalLaunch: ConditionalLaunches {
    ConditionalLaunches(
      live: live, checks: launchChecks, blocks: blocks, challenges: challenges, pins: pins, wipes: wipes,
      enrollment: enrollment, prospects: prospects)
  }
  var launchChecks: LaunchChecks { LaunchChecks(live: live, activities: activities) }
  package var challenges: Challenges {
    Challenges(live: live, hosts: hosts, screens: screens, source: source, judges: Judges(parts: parts))
  }
  package var compliance: Compliance {
    Compliance(
      live: live, remediations: memory.remediations, login: login, challenges: challenges, launches: conditionalLaunch)
  }
  package var pins: PINs {
    PINs(live: live, source: source, wipes: wipes, challenges: challenges, activities: activities)
  }
  var activities: Activities { Activities(live: live) }
  package var windows: Windows {
    Windows(live: live, hosts: hosts, identity: memory.identity, launches: conditionalLaunch, blocks: blocks)
  }
  /// The identities of one connection.
  package func makeIdentities() -> Identities { Identities(of: memory.identity) }
  package var blocks: Blocks { Blocks(live: live, hosts: hosts, language: language) }
  package var screens: Screens { Screens(live: live, owners: memory.screenOwners, times: memory.screenTimes) }
  package var alerts: UserAlerts { UserAlerts(hosts: hosts, language: language) }
}

/// Data and actions on data.
extension Rooms {
  package var protection: Protection { Protection(live: live, files: files) }
  package var files: Files { Files(live: live) }
  package var providerOwners: ProviderOwners { ProviderOwners(live: live) }
  package var clipboard: Clipboard {
    Clipboard(live: live, protection: protection, isProtecting: parts.known == nil)
  }
  package var receiving: Receiving {
    Receiving(
      live: live, files: files, protection: protection, hosts: hosts, language: language, known: parts.known)
  }
  package var webNavigation: WebNavigation { WebNavigation(live: live, hosts: hosts) }
  package var pinning: Pinning { Pinning(live: live, trustedAuthorities: memory.trustedAuthorities) }
}

/// Overrides, events and diagnostics.
extension Rooms {
  package var settingOverrides: SettingOverrides { SettingOverrides(live: live) }
  package var policyOverrides: PolicyOverrides { PolicyOverrides(live: live) }
  package var events: EventLog { EventLog(live: live) }
  /// The lines of the log, as `LogFeed.init` says.
  package func logFeed(from level: LogLevel?, after lastID: String?) -> LogFeed {
    LogFeed(live, from: level, after: lastID)
  }
  package var trace: Trace { Trace(live: live) }
  package var diagnostics: Diagnostics {
    Diagnostics(
      live: live, hosts: hosts, source: source, launches: conditionalLaunch, restart: memory.restart, files: files,
      identity: memory.identity)
  }
}

/// What a room needs from the rooms above it.
extension Rooms {
  var signInKeeper: any SignInKeeper { SourceChallenges(live: parts.live, challenges: challenges) }

  private var nameKeepers: [any NameKeeper] { [PINNames(live: parts.live), activities] }
}

/// Makes the judges of challenges, whose rooms ask challenges themselves.
private struct Judges: ChallengeJudges {
  let parts: Parts

  func judge(of kind: Challenge.Kind) -> any ChallengeJudge {
    switch kind {
    case .credentials:
      SignInJudge(
        live: parts.live, source: parts.source, pins: parts.pins, checks: parts.launchChecks, wipes: parts.wipes)
    case .warning: WarningJudge()
    case .setPIN, .enterPIN, .changePIN: PINJudge(pins: parts.pins)
    }
  }
}
