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
    let listed = members["apps"]?.arrayValue ?? []
    let isCore = list.hasCoreApps && members["appGroupType"]?.stringValue == AppGroupType.allCoreMicrosoftApps.rawValue
    apps = listed.isEmpty && isCore ? platform.coreApps : listed.map { platform.typed($0) }
    appGroupType = members["appGroupType"] == nil && members["apps"] == nil ? "allApps" : nil
    assignments =
      members["assignments"]?.arrayValue?.map(Self.complete) ?? (targeting.needsAssignment ? [] : [Self.everybody])
  }

  /// Whom the folder gives a policy without assignments.
  private static let everybody: JSONValue = [
    "id": "allLicensedUsers", "source": "direct", "sourceId": noSource,
    "target": ["@odata.type": "#microsoft.graph.allLicensedUsersAssignmentTarget"],
  ]

  private static let noSource: JSONValue = "00000000-0000-0000-0000-000000000000"

  static let filterMember = "deviceAndAppManagementAssignmentFilter"

  /// Whether the id is that of a filter: also zeros stand for none.
  static func namesFilter(_ id: JSONValue) -> Bool {
    id.stringValue.map { !$0.allSatisfy { "0-".contains($0) } } ?? false
  }

  static func assignment(
    group: String, isExclusion: Bool = false, filter: JSONValue = .null, mode: JSONValue = "none"
  ) -> JSONValue {
    let type = isExclusion ? "exclusionGroupAssignmentTarget" : "groupAssignmentTarget"
    return [
      "id": .string("\(group)_\(isExclusion ? "excl" : "incl")"), "source": "direct", "sourceId": noSource,
      "target": [
        "@odata.type": .string("#microsoft.graph." + type), filterMember + "Id": filter, filterMember + "Type": mode,
        "groupId": .string(group),
      ],
    ]
  }

  /// An assignment of an export, with an id.
  private static func complete(_ assignment: JSONValue) -> JSONValue {
    guard var object = assignment.objectValue, object["id"] == nil else { return assignment }
    let isExclusion =
      object["target"]?["@odata.type"]?.stringValue?.hasSuffix("exclusionGroupAssignmentTarget") ?? false
    let group = object["target"]?["groupId"]?.stringValue
    object["id"] = .string(group.map { "\($0)_\(isExclusion ? "excl" : "incl")" } ?? "allLicensedUsers")
    return .object(object)
  }

  /// How Graph names an app of a platform.
  struct Platform {
    let type: String
    let member: String
    private let platform: DevicePlatform

    static let all = DevicePlatform.allCases.map(Platform.init)

    init(_ platform: DevicePlatform) {
      self.platform = platform
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

    /// Whether a policy of the list may have apps of the platform.
    func isFor(_ list: PolicyList) -> Bool { list.kind.map { $0.platforms.contains(platform) } ?? true }

    /// Graph fills them in.
    var coreApps: [JSONValue] { CoreMicrosoftApps.all(on: platform).sorted().map(app) }

    func identifier(_ app: String) -> JSONValue { ["@odata.type": .string(type), member: .string(app)] }

    func app(_ app: String) -> JSONValue {
      [
        "id": .string("\(app).\(platform.rawValue)"), "version": .string(String(app.stableNumber)),
        "mobileAppIdentifier": identifier(app),
      ]
    }

    /// The app with its id and the type of its identifier, which a client needs to read it.
    func typed(_ app: JSONValue) -> JSONValue {
      guard var object = app.objectValue, var identifier = object["mobileAppIdentifier"]?.objectValue else {
        return app
      }
      let own = Self.all.first { identifier[$0.member]?.stringValue != nil } ?? self
      if identifier["@odata.type"] == nil { identifier["@odata.type"] = .string(own.type) }
      object["mobileAppIdentifier"] = .object(identifier)
      guard object["id"] == nil, let name = identifier[own.member]?.stringValue else { return .object(object) }
      return .object(JSONObject([("id", .string("\(name).\(own.platform.rawValue)"))]).adding(object))
    }
  }
}

extension PolicyList {
  /// Whether Graph shows the apps of the group of core apps in a policy of the list.
  fileprivate var hasCoreApps: Bool { self == .ios || self == .android }
}

extension String {
  /// The same number for the same text, as Graph has one for each version of an app (FNV-1a).
  fileprivate var stableNumber: Int32 {
    Int32(bitPattern: utf8.reduce(0x811C_9DC5) { ($0 ^ UInt32($1)) &* 0x0100_0193 })
  }
}
