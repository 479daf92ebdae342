import Model

/// What a broken rule leads to.
package enum LaunchAction: Sendable, CaseIterable {
  case warn, block, wipe

  init(_ action: RemediationAction) {
    self =
      switch action {
      case .warn: .warn
      case .block, .blockWhenSettingIsSupported: .block
      case .wipe: .wipe
      }
  }

  /// What the policy says; block where it says nothing, or what the rule does not know.
  init(_ setting: SettingName, _ policy: EffectivePolicy, of known: Set<LaunchAction> = [.block, .wipe]) {
    self.init(policy.settings[setting]?.value.word(), of: known)
  }

  init(_ action: RemediationAction?, of known: Set<LaunchAction>) {
    let action = action.map { Self($0) } ?? .block
    self = known.contains(action) ? action : .block
  }

  package var outcome: LaunchOutcome {
    switch self {
    case .warn: .warn
    case .block: .block
    case .wipe: .wipe
    }
  }

  /// A clause.
  var consequence: String {
    switch self {
    case .warn: "the user is warned"
    case .block: "access is blocked"
    case .wipe: "the account's data is removed from the app"
    }
  }
}
