import JSON
import Model
import Policy
import Tenancy

/// The apps and the assignments of a policy as Graph shows them. Assignments in tenant.json replace those of the export.
struct GraphTargets {
  let apps: [JSONValue]
  let assignments: [JSONValue]?
  /// `nil` if the object of the policy says it itself.
  let appGroupType: String?

  init(
    _ list: PolicyList, _ targeting: PolicyTargeting, _ members: JSONObject, _ assigned: [TenantAssignment]?
  ) {
    let platform = Platform(list)
    if let assigned {
      let names = assigned.flatMap(\.apps)
      let isForAll = names.contains("*")
      apps = isForAll ? [] : Set(names).sorted().map { platform.app($0) }
      appGroupType = isForAll ? "allApps" : "selectedPublicApps"
      let groups = assigned.flatMap(\.groups)
      assignments = groups.contains("*") ? [Self.everybody] : Set(groups).sorted().map { Self.assignment(group: $0) }
      return
    }
    apps = (members["apps"]?.arrayValue ?? []).map { platform.typed($0) }
    appGroupType = members["appGroupType"] == nil && members["apps"] == nil ? "allApps" : nil
    assignments =
      members["assignments"]?.arrayValue?.map(Self.withID) ?? (targeting.needsAssignment ? [] : [Self.everybody])
  }

  private static let everybody: JSONValue = [
    "id": "allLicensedUsers", "source": "direct",
    "target": ["@odata.type": "#microsoft.graph.allLicensedUsersAssignmentTarget"],
  ]

  private static func assignment(group: String) -> JSONValue {
    [
      "id": .string("\(group)_incl"), "source": "direct",
      "target": ["@odata.type": "#microsoft.graph.groupAssignmentTarget", "groupId": .string(group)],
    ]
  }

  private static func withID(_ assignment: JSONValue) -> JSONValue {
    guard var object = assignment.objectValue, object["id"] == nil else { return assignment }
    object["id"] = object["target"]?["groupId"] ?? "allLicensedUsers"
    return .object(object)
  }

  /// How Graph names an app of a platform.
  struct Platform {
    let type: String
    let member: String

    init(_ platform: DevicePlatform) {
      (type, member) =
        switch platform {
        case .ios: ("#microsoft.graph.iosMobileAppIdentifier", "bundleId")
        case .android: ("#microsoft.graph.androidMobileAppIdentifier", "packageId")
        case .windows: ("#microsoft.graph.windowsAppIdentifier", "windowsAppId")
        }
    }

    /// A policy for any platform names its apps as iOS does.
    init(_ list: PolicyList) {
      switch list {
      case .android: self.init(DevicePlatform.android)
      case .windows: self.init(DevicePlatform.windows)
      case .ios, .default, .configurations: self.init(DevicePlatform.ios)
      }
    }

    func identifier(_ app: String) -> JSONValue { ["@odata.type": .string(type), member: .string(app)] }

    func app(_ app: String) -> JSONValue {
      ["id": .string("\(app).\(member)"), "mobileAppIdentifier": identifier(app)]
    }

    /// The app with the type of its identifier, which a client needs to read it.
    func typed(_ app: JSONValue) -> JSONValue {
      guard var object = app.objectValue, var identifier = object["mobileAppIdentifier"]?.objectValue,
        identifier["@odata.type"] == nil
      else { return app }
      let type = identifier["packageId"] != nil ? "android" : identifier["bundleId"] != nil ? "ios" : nil
      identifier["@odata.type"] = .string(type.map { "#microsoft.graph.\($0)MobileAppIdentifier" } ?? self.type)
      object["mobileAppIdentifier"] = .object(identifier)
      return .object(object)
    }
  }
}
