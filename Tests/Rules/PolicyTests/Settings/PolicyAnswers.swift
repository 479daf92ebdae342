import Support
import Testing

@testable import Model
@testable import Policy

/// All that a policy answers to questions, a launch and a PIN; texts that tell what was asked.
struct PolicyAnswers {
  private let policy: CompiledPolicy
  private(set) var texts: [String] = []
  private let own: AccountReference = "alice@contoso.example"
  private let now = LaunchRuleFixture.now

  init(_ policy: CompiledPolicy) {
    self.policy = policy
    for isPINSet in [false, true] { note("properties", questions.properties(isPINSet ? .setOnManagedDevice : .notSet)) }
    noteLocations()
    noteLinks()
    noteContent()
    noteActions()
    noteLaunch()
    notePIN()
  }

  private var questions: PolicyQuestions { PolicyQuestions(policy: policy, account: own) }

  private mutating func note(_ question: String, _ answer: some Any) { texts.append("\(question): \(answer)") }

  private mutating func noteLocations() {
    for account in [nil, own, "eve@home.example"] as [AccountReference?] {
      for location in SaveLocation.allCases {
        note("save", questions.isSaveToAllowed(location, locationAccount: account, in: FixedAccounts.nobody).value)
      }
      for location in OpenLocation.allCases {
        note("open", questions.isOpenFromAllowed(location, locationAccount: account, in: FixedAccounts.nobody).value)
      }
    }
  }

  private mutating func noteLinks() {
    let texts = [
      "https://x.sharepoint.com/a", "https://maps.x/a", "tel:1", "sms:1", "skype:eve", "itms:x", "fox:x", "bear:x",
      "android-app://com.example.one", "x:x",
    ]
    for url in texts.compactMap(AbsoluteURL.init) {
      note("url \(url.text)", questions.isURLAllowed(url, toManagedApp: false).value)
      note("opening \(url.text)", questions.opening(url, toManagedApp: false).value)
      note("link \(url.text)", questions.isUniversalLinkAllowed(url).value)
    }
    for mode in DocumentPickerMode.allCases { note("picker \(mode)", questions.isDocumentPickerAllowed(mode).value) }
    note("upload", questions.isUploadToUnmanagedAllowed.value)
  }

  private mutating func noteContent() {
    for text in ["1", "333", "22222222"] {
      note("copy", questions.copying(.text(text)).value)
      note("paste", questions.pasting(.text(text), of: nil, in: FixedAccounts.nobody).value)
    }
    let targets = ["com.example.one", "com.example.two"].map { ShareTarget(id: $0, managed: false) }
    note("share", questions.shareTargets(targets, isMDM: true, in: FixedAccounts.nobody).value)
    note("receive", questions.canReceive(from: nil, in: FixedAccounts.nobody).value)
    note("owner of unknown data", policy.protectsUnknownData)
    note("notification", questions.redact(title: "Eve", body: "figures", in: .english).value)
  }

  private mutating func noteActions() {
    for action in EnforcedAction.allCases {
      note("\(action)", questions.isActionAllowed(action, in: FixedAccounts.nobody).value)
    }
    for keyboard in ["com.example.one", "com.example.two"] {
      note(keyboard, questions.isActionAllowed(.thirdPartyKeyboard, keyboard: keyboard, in: FixedAccounts.nobody).value)
    }
  }

  private mutating func noteLaunch() {
    for (account, device) in accounts.flatMap({ account in [device, samsungDevice].map { (account, $0) } }) {
      let findings = policy.launch.findings(account.facts(device))
      note("launch", (LaunchEnd(findings).verdict, LaunchEnd(findings).signIn?.setting))
    }
    let last = Activity(since: now, usedAt: now)
    let use = AccountUse(last, policy.launch.recheckAfter, isShown: false, at: now.advanced(by: 3_600_000))
    note("recheck", use.isRecheckDue)
  }

  private var device: ToldDevice {
    ToldDevice(policy.effective.platform) { device in
      (device.osVersion, device.appVersion, device.sdkVersion) = ("3.0", "3.0", "3.0")
      (device.model, device.manufacturer) = ("this", "this")
      (device.jailbroken, device.threatLevel, device.devicePinSet) = (true, .medium, false)
      (device.developerOptionsEnabled, device.biometricsChangedAt) = (true, now.advanced(by: -60_000))
    }
  }

  private var samsungDevice: ToldDevice {
    ToldDevice(policy.effective.platform) { device in
      (device.manufacturer, device.knoxAttested) = ("Samsung", false)
    }
  }

  private var accounts: [LaunchAccount] {
    let left = ClockEntry(status: .clockedOut, updated: now.advanced(by: -1_800_000))
    return [
      LaunchAccount(isSignInFresh: false), LaunchAccount(contactedAgo: 24 * 60), LaunchAccount(isSignInRefused: true),
      LaunchAccount(clockStatus: .clockedOut, clock: left),
    ]
  }

  private mutating func notePIN() {
    let rules = policy.pin
    for pin in ["1234", "2580", "25801", "97531864", "a!28"] {
      note("PIN", rules.form.fault(of: PINTraits(pin)) == nil)
    }
    var stored = FixedPIN()
    (stored.tries, stored.setAt) = (5, now.advanced(by: -5 * 86_400_000))
    (stored.typedAt, stored.activeAt) = (now.advanced(by: -3_600_000), now.advanced(by: -3_600_000))
    note("demand", PINDemand(rules, on: stored, isRecheckDue: true, at: now))
    stored.tries = 0
    note("demand", PINDemand(rules, on: stored, isRecheckDue: true, at: now))
    note("biometrics", rules.biometrics(replacing: stored, lastUsedAt: nil, on: device, at: now))
    note("former PINs", rules.blockedPrevious)
  }
}
