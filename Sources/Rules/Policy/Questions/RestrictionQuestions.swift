import Model

/// Whether a policy restricts locations at all, for menus that need not ask about each location.
extension PolicyQuestions {
  /// Whether this account's data may not be saved to some location that belongs to the account or to nobody.
  package var hasSaveRestriction: Decision<Bool> {
    if isLockedDown { return .lockedDown(!LockDown.isSaveToAllowed) }
    guard let policy else { return Decision(false, .unmanaged) }
    return Self.restriction(policy.send, policy.isSavingCopiesBlocked, .saveAsBlocked)
  }

  /// Whether data may not be opened into this account's documents from some location that belongs to the account or to
  /// nobody.
  package var hasOpenRestriction: Decision<Bool> {
    if isLockedDown { return .lockedDown(!LockDown.isOpenFromAllowed) }
    guard let policy else { return Decision(false, .unmanaged) }
    return Self.restriction(policy.receive, policy.isIngestionBlocked, .blockDataIngestionIntoOrganizationDocuments)
  }

  private static func restriction(
    _ level: TransferLevel, _ isBlocked: Bool, _ setting: SettingName
  ) -> Decision<Bool> {
    if let general = level.generalIfSet { return general.map { !$0 } }
    return Decision(isBlocked, isBlocked ? .settingDecides : .copiesNotBlocked, setting)
  }
}
