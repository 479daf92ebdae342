import Model

/// The parts of what a core does, each as a value that is made when it is used. A room that is given the whole core is not
/// taken apart yet.
extension Core {
  package var enrollment: Enrollment { Enrollment(core: self) }
  package var login: Login { Login(core: self) }
  package var scheduler: Scheduler { Scheduler(core: self) }
  package var dueTimes: DueTimes { DueTimes(live: live, pins: pins, challenges: challenges) }
  package var source: TenantSource { TenantSource(core: self) }
  var registrations: Registrations { Registrations(live: live) }
  var sourceWatch: SourceWatch { SourceWatch(live: live, source: source.provider, registrations: registrations) }
  var reports: Reports { Reports(live: live, source: source.provider, registrations: registrations) }
  package var managedUser: ManagedUser { ManagedUser(live: live, source: source.provider, checks: managedUserChecks) }
  package var tokens: EnrollmentTokens { EnrollmentTokens(core: self) }
  var managementEnd: ManagementEnd { ManagementEnd(live: live, hosts: hosts, enrollment: enrollment) }
  package var wipes: Wipes {
    Wipes(live: live, hosts: hosts, screens: screens, nameKeepers: nameKeepers, listener: reports)
  }

  package var appStart: AppStart { AppStart(core: self) }
  package var restarts: Restarts { Restarts(live: live, restart: restart, hosts: hosts) }
  package var conditionalLaunch: ConditionalLaunches { ConditionalLaunches(core: self) }
  package var challenges: Challenges { Challenges(core: self) }
  package var compliance: Compliance {
    Compliance(
      live: live, remediations: remediations, login: login, challenges: challenges, launches: conditionalLaunch)
  }
  package var pins: PINs {
    PINs(live: live, source: source, wipes: wipes, challenges: challenges, activities: activities)
  }
  var activities: Activities { Activities(live: live) }
  package var windows: Windows { Windows(core: self) }
  package var blocks: Blocks { Blocks(live: live, hosts: hosts, language: language) }

  package var protection: Protection { Protection(live: live, files: files) }
  package var files: Files { Files(live: live) }
  package var providerOwners: ProviderOwners { ProviderOwners(live: live) }
  package var clipboard: Clipboard { Clipboard(live: live, protection: protection) }
  package var receiving: Receiving {
    Receiving(live: live, files: files, protection: protection, hosts: hosts, language: language)
  }
  package var webNavigation: WebNavigation { WebNavigation(live: live, hosts: hosts) }
  package var pinning: Pinning { Pinning(live: live, trustedAuthorities: trustedAuthorities) }

  package var settingOverrides: SettingOverrides { SettingOverrides(live: live) }
  package var policyOverrides: PolicyOverrides { PolicyOverrides(live: live) }
  package var hostDevice: HostDevice { HostDevice(live: live, scheduler: scheduler) }

  package var events: EventLog { EventLog(live: live) }
  package var trace: Trace { Trace(live: live) }
  package var diagnostics: Diagnostics { Diagnostics(core: self) }
  package var screens: Screens { Screens(live: live, owners: screenOwners, times: screenTimes) }
  package var alerts: UserAlerts { UserAlerts(hosts: hosts, language: language) }
}

/// What a room needs from the rooms above it.
extension Core {
  func judge(of kind: Challenge.Kind) -> any ChallengeJudge {
    switch kind {
    case .credentials: SignInJudge(core: self)
    case .warning: WarningJudge()
    case .setPIN, .enterPIN, .changePIN: PINJudge(pins: pins)
    }
  }

  var signInKeeper: any SignInKeeper { SourceChallenges(live: live, challenges: challenges) }

  private var nameKeepers: [any NameKeeper] { [PINNames(live: live), activities] }
}
