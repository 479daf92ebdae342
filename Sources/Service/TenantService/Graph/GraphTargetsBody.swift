import JSON
import Model

/// Checks what a client writes of the apps and the assignments of a policy.
struct GraphTargetsBody: Sendable {
  let list: PolicyList

  init(_ list: PolicyList) { self.list = list }

  /// Adds to a new policy what the body says about its targets. Who sends no assignments means nobody; who sends apps but no
  /// group of apps means these apps.
  func complete(_ given: inout JSONObject, _ body: JSONObject) throws(GraphError) {
    if let apps = body["apps"], !apps.isNull { given["apps"] = try self.apps(apps) }
    if list.isAssigned, let assignments = body["assignments"], !assignments.isNull {
      given["assignments"] = try self.assignments(assignments)
    }
    if let settings = body["settings"], !settings.isNull { given["settings"] = try Self.settings(settings) }
    // Recorded of configurations alone.
    if list == .configurations, given["appGroupType"] == nil, given["apps"] == [] { given["appGroupType"] = "allApps" }
  }

  // MARK: - Actions

  func assign(_ body: JSONObject) throws(GraphError) -> JSONObject {
    try Self.check(body, "assign", ["assignments"])
    guard let assignments = body["assignments"], !assignments.isNull else {
      throw .intune(400, "BadRequest", "Parameter expected : assignments")
    }
    return ["assignments": try self.assignments(assignments)]
  }

  func targetApps(_ body: JSONObject) throws(GraphError) -> JSONObject {
    try Self.check(body, "targetApps", list.hasAppGroup ? ["apps", "appGroupType"] : ["apps"])
    guard let apps = body["apps"], !apps.isNull else { throw .intune(400, "BadRequest", "Parameter expected : apps") }
    var targets: JSONObject = ["apps": try self.apps(apps)]
    guard list.hasAppGroup else { return targets }
    targets["appGroupType"] = "selectedPublicApps"
    let group = GraphPolicyType[list].member("appGroupType", isBeta: true)
    if let value = body["appGroupType"], !value.isNull, let group {
      targets["appGroupType"] = try group.type.checked(value, "appGroupType")
    }
    return targets
  }

  static func changeSettings(_ body: JSONObject) throws(GraphError) -> JSONObject {
    try check(body, "changeSettings", ["settings"])
    guard let settings = body["settings"], !settings.isNull else {
      throw .intune(400, "BadRequest", "Parameter expected : settings")
    }
    return ["settings": try Self.settings(settings)]
  }

  private static func check(_ body: JSONObject, _ action: String, _ known: [String]) throws(GraphError) {
    if let other = body.names.first(where: { !$0.isAnnotation && !known.contains($0) }) {
      throw .unknownParameter(other, of: action, known: known)
    }
  }

  private static func settings(_ value: JSONValue) throws(GraphError) -> JSONValue {
    guard let elements = value.arrayValue, elements.allSatisfy({ $0.objectValue != nil }) else {
      throw .mismatch("settings", "a list of objects", value)
    }
    return value
  }

  private static func objects(
    _ value: JSONValue, _ path: String, _ type: String, known: [String]
  ) throws(GraphError) -> [JSONObject] {
    guard let elements = value.arrayValue, case let objects = elements.compactMap(\.objectValue),
      objects.count == elements.count
    else { throw .mismatch(path, "a list of objects", value) }
    for object in objects {
      guard let other = object.names.first(where: { !$0.isAnnotation && !known.contains($0) }) else { continue }
      throw .unknownMember(other, of: "microsoft.management.services.api.\(type)", known: known)
    }
    return objects
  }

  private static func typeName(_ value: JSONValue?) -> String? { value?.stringValue?.lastNamePart }

  // MARK: - Apps

  private func apps(_ value: JSONValue) throws(GraphError) -> JSONValue {
    let objects = try Self.objects(value, "apps", "managedMobileApp", known: ["id", "version", "mobileAppIdentifier"])
    var apps: [JSONValue] = []
    var seen: Set<String> = []
    for object in objects {
      let app = try self.app(object)
      if seen.insert(app["id"]?.stringValue ?? "").inserted { apps.append(app) }
    }
    return .array(apps)
  }

  private func app(_ object: JSONObject) throws(GraphError) -> JSONValue {
    let path = "apps/mobileAppIdentifier"
    let value = object["mobileAppIdentifier"] ?? .null
    guard let identifier = value.objectValue else {
      throw .mismatch(path, "an object with an @odata.type, such as {\"bundleId\": …}", value)
    }
    guard let name = Self.typeName(identifier["@odata.type"]), name != "mobileAppIdentifier" else {
      throw .abstractType(path, example: "iosMobileAppIdentifier")
    }
    let platforms = GraphTargets.Platform.all
    guard let platform = platforms.first(where: { $0.type.lastNamePart == name }) else {
      throw .unknownType(name, known: platforms.map { String($0.type.lastNamePart) })
    }
    if let other = identifier.names.first(where: { !$0.isAnnotation && $0 != platform.member }) {
      throw .unknownMember(other, of: "microsoft.management.services.api.\(name)", known: [platform.member])
    }
    let id = identifier[platform.member] ?? .null
    guard let app = id.stringValue, !app.isEmpty, app.utf8.count <= 255 else {
      throw .mismatch("\(path)/\(platform.member)", "the id of an app, of 1 to 255 bytes", id)
    }
    guard platform.isFor(list) else {
      throw .badRequest(
        "The policy cannot have the app \(app): \(list.typeName) takes no \(name). Use the id of the app on the policy's "
          + "platform.")
    }
    return platform.app(app)
  }

  // MARK: - Assignments

  private func assignments(_ value: JSONValue) throws(GraphError) -> JSONValue {
    let objects = try Self.objects(
      value, "assignments", "targetedManagedAppPolicyAssignment", known: ["id", "source", "sourceId", "target"])
    var assignments: [JSONValue] = []
    var seen: Set<String> = []
    for object in objects {
      let assignment = try Self.assignment(object["target"] ?? .null)
      if seen.insert(assignment["id"]?.stringValue ?? "").inserted { assignments.append(assignment) }
    }
    return .array(assignments)
  }

  private static func assignment(_ value: JSONValue) throws(GraphError) -> JSONValue {
    guard let target = value.objectValue else { throw .mismatch("assignments/target", "an object", value) }
    guard let type = typeName(target["@odata.type"]) else {
      throw .abstractType("assignments/target", example: "groupAssignmentTarget")
    }
    guard let isExclusion = ["groupAssignmentTarget": false, "exclusionGroupAssignmentTarget": true][type] else {
      throw .intune(
        400, "BadRequest",
        "Unsupported AssignmentTarget. Group assignments contain classes other than GroupAssignmentTarget and "
          + "ExclusionGroupTarget")
    }
    let filter = GraphTargets.filterMember
    let known = ["groupId", filter + "Id", filter + "Type"]
    if let other = target.names.first(where: { !$0.isAnnotation && !known.contains($0) }) {
      throw .unknownMember(other, of: "microsoft.management.services.api.\(type)", known: known)
    }
    let id = target["groupId"] ?? .null
    guard let group = id.stringValue, !group.isEmpty, group.utf8.count <= 256 else {
      throw .mismatch("assignments/target/groupId", "the id of a group, of 1 to 256 bytes", id)
    }
    let mode = target[filter + "Type"] ?? .null
    let modes = ["none", "include", "exclude"]
    if !mode.isNull { _ = try GraphMemberType.word(modes).checked(mode, "assignments/target/\(filter)Type") }
    let filterId = target[filter + "Id"] ?? .null
    guard filterId.isNull || filterId.stringValue != nil else {
      throw .mismatch("assignments/target/\(filter)Id", "the id of a filter, or null", filterId)
    }
    let names = GraphTargets.namesFilter(filterId)
    guard names == (mode == "include" || mode == "exclude") else {
      throw .badRequest(
        names
          ? "Property assignments/target/\(filter)Type in payload has a value that does not match schema. It must be include "
            + "or exclude, because \(filter)Id names a filter."
          : "Property assignments/target/\(filter)Id in payload has a value that does not match schema. It must name a "
            + "filter, because \(filter)Type is \(mode.stringValue ?? "").")
    }
    return GraphTargets.assignment(
      group: group, isExclusion: isExclusion, filter: names ? filterId : .null, mode: names ? mode : "none")
  }
}
