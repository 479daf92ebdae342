import Database
import JSON
import Model
import Support
import Tenancy

extension GraphRoute {
  private static let path = "deviceAppManagement/managedAppRegistrations"

  static let registrations: [GraphRoute] = [
    GraphRoute("\(path)/getUserIdsWithFlaggedAppRegistration") { call, _ in try await call.flaggedUsers() },
    GraphRoute(path) { call, _ in try await call.registrations(of: nil) },
    GraphRoute("\(path)/*") { call, keys in try await call.registration(keys[0]) },
    GraphRoute("\(path)/*/appliedPolicies") { call, keys in try await call.appliedPolicies(keys[0]) },
    GraphRoute("\(path)/*/intendedPolicies") { call, keys in try await call.intendedPolicies(keys[0]) },
    GraphRoute("\(path)/*/operations") { call, keys in try await call.operations(keys[0]) },
    GraphRoute("users/*/managedAppRegistrations") { call, keys in
      try await call.registrations(of: keys[0])
    },
    GraphRoute("me/managedAppRegistrations") { call, _ in try await call.registrations(of: try call.me()) },
    GraphRoute("users/*/wipeManagedAppRegistrationsByDeviceTag", method: "POST", right: .wipe) { call, keys in
      try await call.wipe(keys[0])
    },
    // The beta's name.
    GraphRoute("users/*/wipeManagedAppRegistrationByDeviceTag", method: "POST", right: .wipe) { call, keys in
      try await call.wipe(keys[0])
    },
    GraphRoute("users/*/wipeAndBlockManagedApps", method: "POST", right: .wipe) { call, keys in
      try await call.block(keys[0])
    },
    GraphRoute("users/*/unblockManagedApps", method: "POST", right: .wipe) { call, keys in
      try await call.unblock(keys[0])
    },
    GraphRoute("deviceAppManagement/managedAppStatuses") { call, _ in try call.statuses() },
    GraphRoute("deviceAppManagement/managedAppStatuses/*") { call, keys in try await call.status(keys[0]) },
  ]
}

extension GraphCall {
  private static let context = "deviceAppManagement/managedAppRegistrations"
  private static let longestKey = 200
  /// What `$expand` adds to a registration.
  static let registrationExpansions = ["appliedPolicies", "intendedPolicies", "operations"]
  private static let operationsMember = "operations"
  /// Not of Graph: true for also those registrations that ended not long ago, so that the outcome of a wipe can be seen
  /// after the app has left.
  private static let endedParameter = "includeEnded"
  private static let endedDays: Int64 = 30
  /// Not of Graph: true for a member `edition`, so that it can be seen whom a change has reached.
  private static let editionsParameter = "includeEditions"

  /// The registrations of a user, by a key; of all users for `nil`.
  func registrations(of key: String?) async throws -> GraphAnswer {
    let query = try query(
      of: .registration(isBeta: isBeta), Self.storedOptions, expanding: Self.registrationExpansions,
      parameters: [Self.endedParameter, Self.editionsParameter])
    let earliest = try await earliestEnd(query)
    let hasEditions = try Self.flag(Self.editionsParameter, of: query)
    let user: String? = if let key { try await userId(key, endedSince: earliest) } else { nil }
    return try await registrationPage(query, of: user, endedSince: earliest, withEditions: hasEditions)
  }

  /// `nil` unless ended registrations are asked for.
  private func earliestEnd(_ query: GraphQuery) async throws -> Timestamp? {
    guard try Self.flag(Self.endedParameter, of: query) else { return nil }
    return try await service.timeOfStore().before(days: Self.endedDays)
  }

  private static func flag(_ name: String, of query: GraphQuery) throws(GraphError) -> Bool {
    switch query.parameters[name] {
    case "true": return true
    case nil, "false": return false
    default: throw .badRequest("\(name) must be true or false.")
    }
  }

  /// A filter by user is left to the store.
  private func registrationPage(
    _ query: GraphQuery, of user: String?, endedSince earliest: Timestamp?, withEditions hasEditions: Bool
  ) async throws -> GraphAnswer {
    let user = (user ?? query.filter?.required("userId"))?.lowercasedASCII
    let (store, isExpanded) = (store, query.expand.contains(Self.operationsMember))
    return try await page(
      Self.context, query,
      count: { () async throws(DatabaseError) in try await store.registrationCount(of: user, endedSince: earliest) },
      next: { after, limit async throws(DatabaseError) in
        let found = try await store.graphRegistrations(after: after, limit: limit, user: user, endedSince: earliest)
        guard isExpanded else { return found.map { ($0, nil) } }
        let operations = try await store.graphOperations(ofAll: found.map(\.id), user: user)
        return found.map { ($0, operations[$0.id] ?? []) }
      },
      object: { (pair: (registration: GraphRegistration, operations: [GraphOperation]?)) in
        var object = expanded(pair.registration, pair.operations, query)
        if hasEditions { object["edition"] = pair.registration.edition.map(JSONValue.integer) ?? .null }
        return (pair.registration.id, object)
      })
  }

  func registration(_ id: String) async throws -> GraphAnswer {
    let registration = try await found(id)
    let query = try query(
      of: .registration(isBeta: isBeta), Self.itemOptions, expanding: Self.registrationExpansions)
    let operations: [GraphOperation]? =
      query.expand.contains(Self.operationsMember) ? try await store.graphOperations(of: registration.id) : nil
    return item(expanded(registration, operations, query), Self.context, query)
  }

  /// `operations` is `nil` unless they are asked for.
  private func expanded(
    _ registration: GraphRegistration, _ operations: [GraphOperation]?, _ query: GraphQuery
  ) -> JSONObject {
    var object = registration.graph(isBeta: isBeta)
    for name in query.expand {
      let objects =
        switch name {
        case "appliedPolicies": applied(by: registration)
        case "intendedPolicies": intended(for: registration)
        default: (operations ?? []).map(\.graph)
        }
      object[name] = .array(objects.map(JSONValue.object))
    }
    return object
  }

  private func found(_ id: String) async throws -> GraphRegistration {
    // In two steps: the optimizer of Swift 6.3 crashes on one condition with both.
    guard id.isGUID else { throw Self.unknown(id) }
    let registration = try await store.graphRegistration(id.lowercasedASCII)
    guard let registration else { throw Self.unknown(id) }
    return registration
  }

  private static func unknown(_ id: String) -> GraphError {
    .notFound("There is no registration \(id.prefix(100)).")
  }

  func appliedPolicies(_ id: String) async throws -> GraphAnswer {
    let registration = try await found(id)
    return try policies(applied(by: registration), of: registration, "appliedPolicies")
  }

  func intendedPolicies(_ id: String) async throws -> GraphAnswer {
    let registration = try await found(id)
    return try policies(intended(for: registration), of: registration, "intendedPolicies")
  }

  private func policies(
    _ objects: [JSONObject], of registration: GraphRegistration, _ name: String
  ) throws(GraphError) -> GraphAnswer {
    let query = try query(of: .policy(nil, isBeta: isBeta).adding(objects))
    return try page(objects, Self.context + "('\(registration.id)')/\(name)", query)
  }

  /// What the app said that it has applied. A policy that was deleted since then is named by its id.
  private func applied(by registration: GraphRegistration) -> [JSONObject] {
    registration.applied.map { applied -> JSONObject in
      var object = tenant.policy(applied.id).map { visible($0.object) } ?? ["id": .string(applied.id)]
      if let version = applied.version { object["version"] = .string(version) }
      return object
    }.sortedByID
  }

  /// What applies to the user and the app now.
  private func intended(for registration: GraphRegistration) -> [JSONObject] {
    tenant.intended(for: registration).map { visible($0.object) }.sortedByID
  }

  func operations(_ id: String) async throws -> GraphAnswer {
    let registration = try await found(id)
    let objects = try await store.graphOperations(of: registration.id).map(\.graph)
    return try page(
      objects.sortedByID, Self.context + "('\(registration.id)')/operations", try query(of: .operation))
  }

  /// All registrations in force, in pieces.
  func forEachRegistration(_ body: (GraphRegistration) -> Void) async throws(DatabaseError) {
    var last: String?
    while true {
      let found = try await store.graphRegistrations(
        after: last, limit: Self.registrationsAtOnce, user: nil, endedSince: nil)
      found.forEach(body)
      last = found.last?.id
      if found.count < Self.registrationsAtOnce { return }
    }
  }

  private static let registrationsAtOnce = 1000

  /// The users of devices that are jailbroken or rooted.
  func flaggedUsers() async throws -> GraphAnswer {
    try checkNoQuery()
    let users = try await store.flaggedUsers()
    return .value([
      "@odata.context": context("Collection(Edm.String)"), "value": .array(users.map(JSONValue.string)),
    ])
  }
}

extension GraphCall {
  /// The object id of a user whom the tenant lists, or who still has registrations: a leaver is wiped, too. Those that
  /// have left count only from `endedSince` on.
  func userId(_ key: String, endedSince earliest: Timestamp? = nil) async throws -> String {
    if let user = tenant.user(key) { return user.id.lowercasedASCII }
    guard key.isGUID, try await store.hasRegistrations(of: key.lowercasedASCII, endedSince: earliest) else {
      throw GraphError.notFound("There is no user \(key.prefix(100)).")
    }
    return key.lowercasedASCII
  }

  /// Wipes all apps of a user, also those that come later.
  func block(_ key: String) async throws -> GraphAnswer {
    let actor = try wiper()
    let user = try await userId(key)
    _ = try await store.blockUser(
      user, in: tenant.snapshot.tenantId.lowercasedASCII, by: actor, at: try await service.timeOfStore())
    return .done
  }

  func unblock(_ key: String) async throws -> GraphAnswer {
    let actor = try wiper()
    let user = try await userId(key)
    let isLifted = try await store.unblockUser(
      user, in: tenant.snapshot.tenantId.lowercasedASCII, by: actor, at: try await service.timeOfStore())
    guard isLifted else {
      throw GraphError.badRequest(
        "No administrator has blocked the user \(user) through Graph. If tenant.json does, change it there.")
    }
    return .done
  }

  private func wiper() throws(GraphError) -> String {
    try checkNoQuery()
    guard let actor = caller.name else {
      throw GraphError(403, "Forbidden", "The token names nobody who could have ordered the wipe.")
    }
    return actor
  }

  func wipe(_ key: String) async throws -> GraphAnswer {
    let actor = try wiper()
    let user = try await userId(key)
    let tag = try deviceTag()
    let count = try await store.orderWipe(
      of: user, in: tenant.snapshot.tenantId.lowercasedASCII, onDevice: tag,
      by: actor, request: request.clientRequestID, at: try await service.timeOfStore())
    guard count > 0 else {
      throw GraphError.badRequest(
        "The user \(user) has no registration with this device tag. /users/\(user)/managedAppRegistrations lists them.")
    }
    return .done
  }

  private func deviceTag() throws -> String {
    guard let body = try? JSONValue(parsing: request.body), let object = body.objectValue else {
      throw GraphError.badRequest("The body must be a JSON object: {\"deviceTag\": \"…\"}.")
    }
    if let other = object.names.first(where: { $0 != "deviceTag" && !$0.contains("@odata.") }) {
      throw GraphError.badRequest("The body has an unknown member, \(other.prefix(60)). Send deviceTag alone.")
    }
    guard let tag = object["deviceTag"]?.stringValue, !tag.isEmpty, tag.utf8.count <= Self.longestKey,
      !tag.contains("\0")
    else {
      throw GraphError.badRequest("deviceTag must be the device tag of a registration, a text of 1 to 200 bytes.")
    }
    return tag
  }
}

extension GraphTenant {
  /// The policies and configurations that apply to a registration.
  func intended(for registration: GraphRegistration) -> [Policy] {
    guard let user = user(registration.userId), user.isEnabled, user.isLicensed else { return [] }
    let targeting = snapshot.targeting(
      of: user, app: registration.appId, platform: registration.platform, managementLevel: snapshot.managementLevel,
      on: registration.filtered)
    return (targeting.policies.map(\.id) + targeting.configurations.map(\.id)).compactMap(policy)
  }
}

extension GraphRegistration {
  /// What filters compare.
  fileprivate var filtered: FilterDevice {
    FilterDevice(
      managementType: managementType, manufacturer: String?(manufacturer).nonEmpty, model: String?(model).nonEmpty,
      osVersion: String?(platformVersion).nonEmpty)
  }

  /// Whether the app has applied the policies with these ids, in any version.
  func hasApplied(_ policies: [String]) -> Bool {
    let known = Set(applied.map(\.id))
    return policies.allSatisfy { known.contains($0) }
  }
}

extension [JSONObject] {
  var sortedByID: [JSONObject] {
    sorted { ($0["id"]?.stringValue ?? "").utf8.lexicographicallyPrecedes(($1["id"]?.stringValue ?? "").utf8) }
  }
}
