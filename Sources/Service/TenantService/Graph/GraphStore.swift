import Database
import Model
import SourceProtocol
import Support

/// The registrations and wipes that administrators see.
package protocol GraphStore: Sendable {
  /// The registrations after an id, sorted by id: those in force, and those that ended at `endedSince` or later. `user` is
  /// an object id in lower case; `nil` for those of all users.
  func graphRegistrations(
    after id: String?, limit: Int, user: String?, endedSince: Timestamp?
  ) async throws(DatabaseError) -> [GraphRegistration]

  /// A registration, ended or not: an app whose wipe is complete is gone, but the operation can still be seen.
  func graphRegistration(_ id: String) async throws(DatabaseError) -> GraphRegistration?

  /// How many registrations are in force, or ended at `endedSince` or later.
  func registrationCount(of user: String?, endedSince: Timestamp?) async throws(DatabaseError) -> Int

  /// Whether a user has registrations that did not leave, although they may have ended: their devices may come back. Those
  /// that left at `endedSince` or later count, too.
  func hasRegistrations(of user: String, endedSince: Timestamp?) async throws(DatabaseError) -> Bool

  /// The operations of a registration.
  func graphOperations(of registration: String) async throws(DatabaseError) -> [GraphOperation]

  /// The operations of registrations, by the id of the registration. The ids are sorted. `user` is whose they all are;
  /// `nil` if nobody knows.
  func graphOperations(
    ofAll registrations: [String], user: String?
  ) async throws(DatabaseError) -> [String: [GraphOperation]]

  /// Orders the wipe of the registrations of a user that have the device tag, and keeps that in the audit. Returns how
  /// many these are; 0 orders nothing. The same `request`, sent again, orders nothing else.
  func orderWipe(
    of user: String, in tenant: String, onDevice tag: String, by actor: String, request: String?, at time: Timestamp
  ) async throws(DatabaseError) -> Int

  /// Orders the wipe of all apps of a user, and of each one that enrolls later, and keeps that in the audit. Returns how many
  /// are to be wiped now.
  func blockUser(
    _ user: String, in tenant: String, by actor: String, at time: Timestamp
  ) async throws(DatabaseError) -> Int

  /// Takes that back. Returns false if it was not ordered.
  func unblockUser(
    _ user: String, in tenant: String, by actor: String, at time: Timestamp
  ) async throws(DatabaseError) -> Bool

  /// The users of devices that are jailbroken or rooted, sorted.
  func flaggedUsers() async throws(DatabaseError) -> [String]

  /// The editions of the tenant that are kept, the newest first.
  func editions(limit: Int) async throws(DatabaseError) -> [Edition]

  /// How many registrations that have not ended run which edition; 0 for those of whom nobody knows it.
  func registrationsOfEditions() async throws(DatabaseError) -> [Int64: Int]

  /// `nil` if the edition is not kept, or cannot be read.
  func files(ofEdition number: Int64) async throws(DatabaseError) -> EditionFiles?
}

/// One app of one user on one device.
package struct GraphRegistration: Hashable, Sendable {
  package var id: String
  package var userId: String
  package var appId: String
  package var appVersion = ""
  package var sdkVersion = ""
  package var deviceTag: String
  package var deviceName = ""
  package var platform = DevicePlatform.ios
  package var platformVersion = ""
  package var manufacturer = ""
  package var model = ""
  package var managementType = ManagementType.notReported
  package var isJailbroken = false
  package var created: Timestamp
  package var lastSync: Timestamp
  /// `nil` if it is in force.
  package var ended: Timestamp?
  /// `left`, `replaced` or `unseen`; empty if it is in force.
  package var endReason = ""
  /// The policies that the app has applied, by id, with their versions.
  package var applied: [PolicyVersion] = []
  package var revision: Int64 = 0
  /// The edition of the tenant that the app has, as of its last check-in; `nil` if nobody knows.
  package var edition: Int64?
  /// What is wrong with the app, as the host says it.
  package var health: [String] = []

  package init(
    id: String, userId: String, appId: String, deviceTag: String, created: Timestamp, lastSync: Timestamp
  ) {
    (self.id, self.userId, self.appId, self.deviceTag) = (id, userId, appId, deviceTag)
    (self.created, self.lastSync) = (created, lastSync)
  }
}

/// A wipe that was ordered for a registration.
package struct GraphOperation: Hashable, Sendable {
  package var id: String
  /// `wipe`, or `wipeAndBlock`.
  package var kind: String
  /// `pending`, `completed` or `canceled`.
  package var state: String
  /// Why a wipe is still pending, as the app said.
  package var outcome: String?
  package var changed: Timestamp

  package init(id: String, kind: String, state: String, outcome: String? = nil, changed: Timestamp) {
    (self.id, self.kind, self.state, self.outcome, self.changed) = (id, kind, state, outcome, changed)
  }
}

extension TenantStore: GraphStore {
  package func graphRegistrations(
    after id: String?, limit: Int, user: String?, endedSince: Timestamp?
  ) async throws(DatabaseError) -> [GraphRegistration] {
    try await registrations(of: user, after: id ?? "", limit: limit, endedSince: endedSince)
      .map(GraphRegistration.init)
  }

  package func graphRegistration(_ id: String) async throws(DatabaseError) -> GraphRegistration? {
    try await registration(id).map(GraphRegistration.init)
  }

  package func graphOperations(of registration: String) async throws(DatabaseError) -> [GraphOperation] {
    try await operations(of: registration).map(GraphOperation.init)
  }

  package func graphOperations(
    ofAll registrations: [String], user: String?
  ) async throws(DatabaseError) -> [String: [GraphOperation]] {
    guard let first = registrations.first, let last = registrations.last else { return [:] }
    let targets = try await operations(from: first, through: last, user: user)
    return Dictionary(grouping: targets, by: \.registrationId).mapValues { $0.map(GraphOperation.init) }
  }

  package func flaggedUsers() async throws(DatabaseError) -> [String] { try await usersWithFlaggedRegistrations() }
}

extension GraphOperation {
  fileprivate init(_ target: TargetedOperation) {
    self.init(
      id: target.operation.id, kind: target.operation.kind.rawValue, state: target.state.rawValue,
      outcome: target.state == .pending ? target.outcome : nil, changed: target.changed)
  }
}

extension GraphRegistration {
  init(_ stored: Registration) {
    self.init(
      id: stored.id, userId: stored.userId, appId: stored.appId, deviceTag: stored.deviceTag,
      created: stored.created, lastSync: stored.lastSync)
    let facts = stored.facts
    (appVersion, sdkVersion, deviceName) = (facts.appVersion, facts.sdkVersion, facts.deviceName)
    (platformVersion, manufacturer, model) = (facts.osVersion, facts.manufacturer, facts.model)
    platform = DevicePlatform(rawValue: facts.platform) ?? .ios
    managementType = ManagementType(rawValue: facts.managementType) ?? .notReported
    (isJailbroken, applied, revision) = (facts.isJailbroken, stored.applied, stored.revision)
    (health, ended, endReason) = (facts.health, stored.ended, stored.endReason?.rawValue ?? "")
    edition = facts.edition
  }
}
