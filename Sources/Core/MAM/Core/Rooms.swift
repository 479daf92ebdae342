import Model

/// The parts of what a core does, each as a value that is made when it is used. A room that is given the whole core is not
/// taken apart yet.
extension Core {
  package var enrollment: Enrollment { Enrollment(core: self) }
  package var login: Login { Login(core: self) }
  package var scheduler: Scheduler { Scheduler(core: self) }
  package var dueTimes: DueTimes { DueTimes(core: self) }
  package var source: TenantSource { TenantSource(core: self) }
  var registrations: Registrations { Registrations(core: self) }
  var sourceWatch: SourceWatch { SourceWatch(core: self) }
  var reports: Reports { Reports(core: self) }
  package var managedUser: ManagedUser { ManagedUser(core: self) }
  package var tokens: EnrollmentTokens { EnrollmentTokens(core: self) }
  var managementEnd: ManagementEnd { ManagementEnd(core: self) }
  package var wipes: Wipes { Wipes(core: self) }

  package var appStart: AppStart { AppStart(core: self) }
  package var restarts: Restarts { Restarts(core: self) }
  package var conditionalLaunch: ConditionalLaunches { ConditionalLaunches(core: self) }
  package var challenges: Challenges { Challenges(core: self) }
  package var compliance: Compliance { Compliance(core: self) }
  package var pins: PINs { PINs(core: self) }
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
  package var hostDevice: HostDevice { HostDevice(core: self) }

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
    case .setPIN, .enterPIN, .changePIN: PINJudge(core: self)
    }
  }

  var signInKeeper: any SignInKeeper { SourceChallenges(core: self) }

  var wipeListener: any WipeListener { reports }

  var nameKeepers: [any NameKeeper] { [pins, activities] }
}
