import Model

/// The parts of what a core does, each as a value over the core.
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
  var activities: Activities { Activities(core: self) }
  package var windows: Windows { Windows(core: self) }
  package var blocks: Blocks { Blocks(core: self) }

  package var protection: Protection { Protection(core: self) }
  package var files: Files { Files(core: self) }
  package var providerOwners: ProviderOwners { ProviderOwners(core: self) }
  package var clipboard: Clipboard { Clipboard(core: self) }
  package var receiving: Receiving { Receiving(core: self) }
  package var webNavigation: WebNavigation { WebNavigation(core: self) }
  package var pinning: Pinning { Pinning(core: self) }

  package var settingOverrides: SettingOverrides { SettingOverrides(core: self) }
  package var policyOverrides: PolicyOverrides { PolicyOverrides(core: self) }
  package var hostDevice: HostDevice { HostDevice(core: self) }

  package var events: EventLog { EventLog(core: self) }
  package var trace: Trace { Trace(core: self) }
  package var diagnostics: Diagnostics { Diagnostics(core: self) }
  package var screens: Screens { Screens(core: self) }
  package var alerts: UserAlerts { UserAlerts(core: self) }
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
