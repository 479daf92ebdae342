import Database
import JSON
import Model
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
      try await call.registrations(of: try await call.userId(keys[0]))
    },
    GraphRoute("me/managedAppRegistrations") { call, _ in try await call.registrations(of: try call.me()) },
    GraphRoute("users/*/wipeManagedAppRegistrationsByDeviceTag", method: "POST") { call, keys in
      try await call.wipe(keys[0])
    },
    GraphRoute("deviceAppManagement/managedAppStatuses") { call, _ in try call.statuses() },
    GraphRoute("deviceAppManagement/managedAppStatuses/*") { call, keys in try await call.status(keys[0]) },
  ]
}

extension GraphCall {
  private static let context = "deviceAppManagement/managedAppRegistrations"
  private static let longestKey = 200

  func registrations(of user: String?) async throws -> GraphAnswer {
    let query = try query()
    return try await page(query, of: user)
  }

  /// A filter by user is left to the store.
  private func page(_ query: GraphQuery, of user: String?) async throws -> GraphAnswer {
    let named = query.filter.lazy.filter { $0.name == "userId" }.compactMap(\.value.stringValue).first
    let user = (user ?? named)?.lowercasedASCII
    let (store, isBeta) = (store, isBeta)
    return try await page(
      Self.context, query,
      count: { () async throws(DatabaseError) in try await store.registrationCount(of: user) },
      next: { after, limit async throws(DatabaseError) in
        try await store.graphRegistrations(after: after, limit: limit, user: user)
      },
      object: { ($0.id, $0.graph(isBeta: isBeta)) })
  }

  func registration(_ id: String) async throws -> GraphAnswer {
    let registration = try await found(id)
    return item(registration.graph(isBeta: isBeta), Self.context, try query(Self.itemOptions))
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

  /// What the app said that it has applied. A policy that was deleted since then is named by its id.
  func appliedPolicies(_ id: String) async throws -> GraphAnswer {
    let registration = try await found(id)
    let objects = registration.applied.map { applied -> JSONObject in
      var object = tenant.policy(applied.id)?.object ?? ["id": .string(applied.id)]
      if let version = applied.version { object["version"] = .string(version) }
      return object
    }
    return page(objects.sortedByID, Self.context + "('\(registration.id)')/appliedPolicies", try query())
  }

  /// What applies to the user and the app now.
  func intendedPolicies(_ id: String) async throws -> GraphAnswer {
    let registration = try await found(id)
    let objects = tenant.intended(for: registration).map(\.object)
    return page(objects.sortedByID, Self.context + "('\(registration.id)')/intendedPolicies", try query())
  }

  func operations(_ id: String) async throws -> GraphAnswer {
    let registration = try await found(id)
    let objects = try await store.graphOperations(of: registration.id).map(\.graph)
    return page(objects.sortedByID, Self.context + "('\(registration.id)')/operations", try query())
  }

  /// The users of devices that are jailbroken or rooted.
  func flaggedUsers() async throws -> GraphAnswer {
    _ = try query([])
    let users = try await store.flaggedUsers()
    return .value([
      "@odata.context": context("Collection(Edm.String)"), "value": .array(users.map(JSONValue.string)),
    ])
  }
}

extension GraphCall {
  /// The object id of a user whom the tenant lists, or who still has registrations: a leaver is wiped, too.
  func userId(_ key: String) async throws -> String {
    if let user = tenant.user(key) { return user.id.lowercasedASCII }
    guard key.isGUID, try await store.hasRegistrations(of: key.lowercasedASCII) else {
      throw GraphError.notFound("There is no user \(key.prefix(100)).")
    }
    return key.lowercasedASCII
  }

  func wipe(_ key: String) async throws -> GraphAnswer {
    _ = try query([])
    let user = try await userId(key)
    let tag = try deviceTag()
    let count = try await store.orderWipe(
      of: user, in: tenant.snapshot.tenantId.lowercasedASCII, onDevice: tag,
      by: caller.name ?? "unknown", request: request.clientRequestID, at: try await service.timeOfStore())
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
