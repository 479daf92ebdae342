import Model

/// The owner of a location, seen from the account in question.
enum LocationOwner {
  case nobody, sameAccount, otherAccount
}

extension PolicyQuestions {
  /// Whether data of this account may be saved there. If the location belongs to another managed account, that account's
  /// policy must allow it too.
  package func isSaveToAllowed(
    _ location: SaveLocation, locationAccount: AccountReference?, in accounts: some AccountPolicies
  ) -> Decision<Bool> {
    if isLockedDown { return .lockedDown(LockDown.isSaveToAllowed) }
    let owner = owner(of: locationAccount, in: accounts)
    let own = ownSaveRule(location, owner)
    guard own.value, owner == .otherAccount, let other = locationAccount, let policy = accounts.policy(of: other) else {
      return own
    }
    return policy.receivesFromOthers(other)
  }

  /// Whether data from there may be opened into documents of this account. If the location belongs to another managed
  /// account, that account's policy must allow it too.
  package func isOpenFromAllowed(
    _ location: OpenLocation, locationAccount: AccountReference?, in accounts: some AccountPolicies
  ) -> Decision<Bool> {
    if isLockedDown { return .lockedDown(LockDown.isOpenFromAllowed) }
    let owner = owner(of: locationAccount, in: accounts)
    let own = ownOpenRule(location, owner)
    guard own.value, owner == .otherAccount, let other = locationAccount, let policy = accounts.policy(of: other) else {
      return own
    }
    return policy.sendsToOthers(other)
  }

  package func saveToLocations(
    locationAccount: AccountReference?, in accounts: some AccountPolicies
  ) -> LocationDecisions<SaveLocation> {
    LocationDecisions { isSaveToAllowed($0, locationAccount: locationAccount, in: accounts) }
  }

  package func openFromLocations(
    locationAccount: AccountReference?, in accounts: some AccountPolicies
  ) -> LocationDecisions<OpenLocation> {
    LocationDecisions { isOpenFromAllowed($0, locationAccount: locationAccount, in: accounts) }
  }

  /// Nil and "" are no account, which is always unmanaged.
  private func owner(of location: AccountReference?, in accounts: some AccountPolicies) -> LocationOwner {
    guard let location, location.kind != .noUser else { return .nobody }
    guard let account, account.kind != .noUser else { return .otherAccount }
    return accounts.areEqual(account, location) ? .sameAccount : .otherAccount
  }

  private func ownSaveRule(_ location: SaveLocation, _ owner: LocationOwner) -> Decision<Bool> {
    guard let policy else { return Decision(true, .unmanaged) }
    if policy.confines(policy.send) {
      if owner == .nobody, location == .oneDriveForBusiness, policy.selectedDestinations.contains(.oneDriveForBusiness)
      {
        return Decision(true, .listedWithoutAccount, .allowedOutboundDataTransferDestinationApps)
      }
      return .own(owner, policy.send, mayBeOfOrganization: location.mayBeOfOrganization)
    }
    if let general = policy.send.generalIfSet { return general.leaving(.saving) }
    guard policy.isSavingCopiesBlocked else {
      return Decision(true, .copiesNotBlocked, .saveAsBlocked).leaving(.saving)
    }
    let isListed = policy.saveExceptions.contains(location)
    return switch location {
    case .oneDriveForBusiness, .sharePoint, .box, .iManage, .egnyte:
      .listedAndOwn(isListed, owner, .allowedDataStorageLocations)
    case .localDrive where owner != .nobody, .accountDocument: .own(owner, .saveAsBlocked)
    case .localDrive, .cameraRoll: .listedAndNobodys(isListed, owner, .allowedDataStorageLocations)
    case .other, .dropbox, .googleDrive: Decision(false, .locationNeverAllowed, .saveAsBlocked)
    }
  }

  private func ownOpenRule(_ location: OpenLocation, _ owner: LocationOwner) -> Decision<Bool> {
    guard let policy else { return Decision(true, .unmanaged) }
    if policy.confines(policy.receive) {
      if owner == .nobody, location == .oneDriveForBusiness, policy.selectedSources.contains(.oneDriveForBusiness) {
        return Decision(true, .listedWithoutAccount, .allowedInboundDataTransferSourceApps)
      }
      return .own(owner, policy.receive, mayBeOfOrganization: location.mayBeOfOrganization)
    }
    if let general = policy.receive.generalIfSet { return general.leaving(.opening) }
    let blocking = SettingName.blockDataIngestionIntoOrganizationDocuments
    guard policy.isIngestionBlocked else { return Decision(true, .copiesNotBlocked, blocking).leaving(.opening) }
    let isListed = policy.ingestionExceptions.contains(location)
    return switch location {
    case .oneDriveForBusiness, .sharePoint, .box, .iManage, .egnyte:
      .listedAndOwn(isListed, owner, .allowedDataIngestionLocations)
    case .localStorage where owner != .nobody, .accountDocument: .own(owner, blocking)
    case .localStorage, .camera, .photos: .listedAndNobodys(isListed, owner, .allowedDataIngestionLocations)
    case .other: Decision(false, .locationNeverAllowed, blocking)
    }
  }
}

extension CompiledPolicy {
  /// Whether data of another account may be saved to a location of this account.
  fileprivate func receivesFromOthers(_ account: AccountReference) -> Decision<Bool> {
    asOther(
      account,
      receive.generalIfSet
        ?? Decision(!isIngestionBlocked, .copiesNotBlocked, .blockDataIngestionIntoOrganizationDocuments))
  }

  /// Whether another account may open data from a location of this account.
  fileprivate func sendsToOthers(_ account: AccountReference) -> Decision<Bool> {
    asOther(
      account,
      send.generalIfSet
        ?? Decision(!isSavingCopiesBlocked, .copiesNotBlocked, .saveAsBlocked))
  }

  private func asOther(_ account: AccountReference, _ decision: Decision<Bool>) -> Decision<Bool> {
    let rule: PolicyRule = decision.value ? .otherAccountAllows : .otherAccountBlocks
    return Decision(decision.value, rule, decision.setting, by: .locationAccount, account)
  }
}

/// The decisions about locations while saving or opening is blocked in general.
extension Decision<Bool> {
  fileprivate static func listedAndOwn(_ isListed: Bool, _ owner: LocationOwner, _ list: SettingName) -> Decision {
    guard isListed else { return Decision(false, .notListed, list) }
    return owner == .sameAccount ? Decision(true, .listedForOwnAccount, list) : .foreign(owner, list)
  }

  fileprivate static func own(_ owner: LocationOwner, _ blocking: SettingName) -> Decision {
    owner == .sameAccount ? Decision(true, .ownAccount, blocking) : .foreign(owner, blocking)
  }

  fileprivate static func listedAndNobodys(
    _ isListed: Bool, _ owner: LocationOwner, _ list: SettingName
  ) -> Decision {
    guard isListed else { return Decision(false, .notListed, list) }
    return owner == .nobody ? Decision(true, .listedWithoutAccount, list) : Decision(false, .takesNoAccount, list)
  }

  /// While data stays within the account's organization.
  fileprivate static func own(_ owner: LocationOwner, _ level: TransferLevel, mayBeOfOrganization: Bool) -> Decision {
    let isInside = owner == .sameAccount && mayBeOfOrganization
    return Decision(isInside, isInside ? .withinOrganization : .outsideOrganization, level.setting)
  }

  private static func foreign(_ owner: LocationOwner, _ setting: SettingName) -> Decision {
    Decision(false, owner == .nobody ? .needsAccount : .notOwnAccount, setting)
  }
}

extension SaveLocation {
  /// Whether the location can belong to an organization's account, and is not a service for everybody.
  fileprivate var mayBeOfOrganization: Bool {
    switch self {
    case .oneDriveForBusiness, .sharePoint, .box, .localDrive, .accountDocument, .iManage, .egnyte: true
    case .other, .dropbox, .googleDrive, .cameraRoll: false
    }
  }
}

extension OpenLocation {
  /// See `SaveLocation.mayBeOfOrganization`.
  fileprivate var mayBeOfOrganization: Bool {
    switch self {
    case .oneDriveForBusiness, .sharePoint, .box, .localStorage, .accountDocument, .iManage, .egnyte: true
    case .other, .camera, .photos: false
    }
  }
}

/// The locations that a list allows for saving.
struct SaveExceptions: Sendable {
  private let oneDriveForBusiness, sharePoint, box, localDrive, cameraRoll, iManage, egnyte: Bool

  init(_ listed: [DataStorageLocation]) {
    oneDriveForBusiness = listed.contains(.oneDriveForBusiness)
    sharePoint = listed.contains(.sharePoint)
    box = listed.contains(.box)
    localDrive = listed.contains(.localStorage)
    cameraRoll = listed.contains(.photoLibrary)
    iManage = listed.contains(.iManage)
    egnyte = listed.contains(.egnyte)
  }

  func contains(_ location: SaveLocation) -> Bool {
    switch location {
    case .oneDriveForBusiness: oneDriveForBusiness
    case .sharePoint: sharePoint
    case .box: box
    case .localDrive: localDrive
    case .cameraRoll: cameraRoll
    case .iManage: iManage
    case .egnyte: egnyte
    case .other, .dropbox, .googleDrive, .accountDocument: false
    }
  }
}

/// The locations that a list allows for opening. The portal's list cannot name Box, iManage and Egnyte, so a policy
/// that restricts opening blocks them.
struct OpenExceptions: Sendable {
  private let oneDriveForBusiness, sharePoint, camera, photos, localStorage, box, iManage, egnyte: Bool

  init(_ listed: [DataIngestionLocation]) {
    oneDriveForBusiness = listed.contains(.oneDriveForBusiness)
    sharePoint = listed.contains(.sharePoint)
    camera = listed.contains(.camera)
    photos = listed.contains(.photoLibrary)
    localStorage = listed.contains(.localStorage)
    box = listed.contains(.box)
    iManage = listed.contains(.iManage)
    egnyte = listed.contains(.egnyte)
  }

  func contains(_ location: OpenLocation) -> Bool {
    switch location {
    case .oneDriveForBusiness: oneDriveForBusiness
    case .sharePoint: sharePoint
    case .camera: camera
    case .photos: photos
    case .localStorage: localStorage
    case .box: box
    case .iManage: iManage
    case .egnyte: egnyte
    case .other, .accountDocument: false
    }
  }
}

/// Whether each location may be used, and why.
package struct LocationDecisions<Location: SDKEnumValue>: Explicable {
  private let decide: @Sendable (Location) -> Decision<Bool>

  init(_ decide: @escaping @Sendable (Location) -> Decision<Bool>) {
    self.decide = decide
  }

  package var value: LocationPermissions<Location> { LocationPermissions { decide($0).value } }
  package var reasons: [Reason] { Location.allCases.map { decide($0).reason(for: $0.rawValue) } }
}
