import Database
import JSON
import Model
import Support

/// The registrations and wipes that administrators see.
package protocol GraphStore: Sendable {
  /// The registrations in force after an id, sorted by id. `user` is an object id in lower case; `nil` for those of all
  /// users.
  func registrations(
    after id: String?, limit: Int, user: String?
  ) async throws(DatabaseError) -> [GraphRegistration]

  func registration(_ id: String) async throws(DatabaseError) -> GraphRegistration?

  /// How many registrations are in force.
  func registrationCount(user: String?) async throws(DatabaseError) -> Int

  /// The operations of a registration, sorted by id.
  func operations(of registration: String) async throws(DatabaseError) -> [GraphOperation]

  /// Orders the wipe of the registrations of a user that have the device tag. Returns how many these are; 0 orders
  /// nothing.
  func orderWipe(user: String, deviceTag: String, by actor: String) async throws(DatabaseError) -> Int

  /// Keeps what an administrator has done or tried.
  func note(_ action: String, subject: String, by actor: String, outcome: String) async throws(DatabaseError)
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
  package var isJailbroken = false
  package var created: Timestamp
  package var lastSync: Timestamp
  /// The policies that the app has applied, by id, with their versions.
  package var applied: [(id: String, version: String?)] = []
  /// What the app says about its own health, as it came.
  package var health: [JSONValue] = []
  package var revision: Int64 = 0

  package init(
    id: String, userId: String, appId: String, deviceTag: String, created: Timestamp, lastSync: Timestamp
  ) {
    (self.id, self.userId, self.appId, self.deviceTag) = (id, userId, appId, deviceTag)
    (self.created, self.lastSync) = (created, lastSync)
  }

  package static func == (left: GraphRegistration, right: GraphRegistration) -> Bool {
    left.id == right.id && left.revision == right.revision && left.lastSync == right.lastSync
  }

  package func hash(into hasher: inout Hasher) { hasher.combine(id) }
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
