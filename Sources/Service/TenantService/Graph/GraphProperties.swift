import JSON
import Model
import Policy
import Support
import Tenancy

/// The names of the properties that the elements of a list have, for `$select` and `$filter`. A name that is not among
/// them is refused: to compare with what nothing has would find nothing, and look like an answer.
struct GraphProperties: Sendable {
  /// As messages name it, such as `managedAppRegistration`.
  private let type: String
  private let names: Set<String>

  init(_ type: String, _ names: some Sequence<String>) {
    (self.type, self.names) = (type, Set(names))
  }

  /// Those of a type with the same members in all elements.
  init(of element: JSONObject) {
    let type = element["@odata.type"]?.stringValue ?? ""
    self.init(String(type.split(separator: ".").last ?? "element"), element.names)
  }

  func adding(_ objects: [JSONObject]) -> GraphProperties {
    GraphProperties(type, objects.reduce(into: names) { $0.formUnion($1.names) })
  }

  /// Throws if the query names a property that there is not.
  func check(_ query: GraphQuery) throws(GraphError) {
    try check(query.select ?? [], "$select")
    try check(query.filter.map(\.name), "$filter")
  }

  private func check(_ asked: [String], _ option: String) throws(GraphError) {
    guard let unknown = asked.first(where: { !names.contains($0) }) else { return }
    let hint = names.sorted().nearest(to: unknown).map { " Did you mean \($0)?" } ?? ""
    throw .badRequest("\(option): there is no property \(unknown.prefix(60)) of \(type) here.\(hint)")
  }
}

extension GraphProperties {
  static let user = GraphProperties(
    "user", ["id", "userPrincipalName", "displayName", "mail", "accountEnabled", "assignedPlans"])
  static let group = GraphProperties(of: GraphCall.group(""))
  static let operation = GraphProperties(
    of: GraphOperation(id: "", kind: "", state: "", changed: .earliestText).graph)
  static let diagnosis = GraphProperties(
    "managedAppDiagnosticStatus", ["validationName", "state", "mitigationInstruction"])
  static let status = GraphProperties("managedAppStatusRaw", ["id", "displayName", "version", "content"])
  static let organization = GraphProperties("organization", ["id", "displayName"])

  static func registration(isBeta: Bool) -> GraphProperties { isBeta ? betaRegistration : firstRegistration }

  private static let firstRegistration = sampleRegistration(isBeta: false)
  private static let betaRegistration = sampleRegistration(isBeta: true)

  private static func sampleRegistration(isBeta: Bool) -> GraphProperties {
    var registration = GraphRegistration(
      id: "", userId: "", appId: "", deviceTag: "", created: .earliestText, lastSync: .earliestText)
    registration.ended = .earliestText
    let names = registration.graph(isBeta: isBeta).names + [GraphCall.operationsMember]
    return GraphProperties("managedAppRegistration", names)
  }

  /// The parts of a policy.
  static let app = GraphProperties("managedMobileApp", ["id", "version", "mobileAppIdentifier"])
  static let assignment = GraphProperties(
    "targetedManagedAppPolicyAssignment", ["id", "source", "sourceId", "target"])

  /// Those of the policies of a list; of all lists for `nil`. An export may have more, which `adding` adds.
  static func policy(_ list: PolicyList?) -> GraphProperties {
    guard let list else { return policies }
    return policyLists[list] ?? policies
  }

  private static let policies = GraphProperties(
    "managedAppPolicy", described + SettingDefinition.all.map(\.name.rawValue))
  private static let policyLists = Dictionary(
    uniqueKeysWithValues: PolicyList.allCases.map { list in
      let settings = SettingDefinition.all.filter { definition in
        definition.role.isDescription || list.kind.map { definition.kinds.contains($0) } ?? false
      }
      return (list, GraphProperties(String(list.rawValue.dropLast()), described + settings.map(\.name.rawValue)))
    })

  /// What Graph says about each policy besides its settings.
  private static let described = [
    "id", "displayName", "description", "version", "createdDateTime", "lastModifiedDateTime", "roleScopeTagIds",
    "isAssigned", "appGroupType", "targetedAppManagementLevels", "deployedAppCount", "customSettings", "apps",
    "assignments",
  ]
}

extension PolicyList {
  /// `nil` for configurations.
  fileprivate var kind: PolicyKind? {
    switch self {
    case .ios: .ios
    case .android: .android
    case .windows: .windows
    case .default: .default
    case .configurations: nil
    }
  }
}
