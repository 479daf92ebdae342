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

  /// Throws if the query names a property that there is not. In `$filter` and `$orderby` its case does not count.
  func check(_ query: GraphQuery) throws(GraphError) -> GraphQuery {
    for name in query.select ?? [] where !names.contains(name) { throw unknown(name, "$select") }
    return try query.named(self)
  }

  func known(_ name: String, _ option: String) throws(GraphError) -> String {
    if names.contains(name) { return name }
    guard let known = names.first(where: { $0.lowercasedASCII == name.lowercasedASCII }) else {
      throw unknown(name, option)
    }
    return known
  }

  private func unknown(_ name: String, _ option: String) -> GraphError {
    let hint = names.sorted().nearest(to: name).map { " Did you mean \($0)?" } ?? ""
    return .badRequest("\(option): there is no property \(name.prefix(60)) of \(type) here.\(hint)")
  }
}

extension GraphProperties {
  static let user = GraphProperties(
    "user", ["id", "userPrincipalName", "displayName", "mail", "accountEnabled", "assignedPlans"])
  static let group = GraphProperties(of: GraphCall.group(""))
  static let filter = GraphProperties(
    "deviceAndAppManagementAssignmentFilter",
    ["id", "displayName", "description", "platform", "rule", "roleScopeTags", "assignmentFilterManagementType"])
  static let scopeTag = GraphProperties("roleScopeTag", ["id", "displayName", "description", "isBuiltIn"])
  static let appConfiguration = GraphProperties("managedDeviceMobileAppConfiguration", ["id", "displayName"])
  static let operation = GraphProperties(
    of: GraphOperation(id: "", kind: "", state: "", changed: .earliestText).graph)
  static let diagnosis = GraphProperties(
    "managedAppDiagnosticStatus", ["validationName", "state", "mitigationInstruction"])
  static let status = GraphProperties("managedAppStatusRaw", ["id", "displayName", "version", "content"])
  static let edition = GraphProperties(of: Edition.sample.graph)
  /// A line about an edition.
  static let line = GraphProperties("line", ["id", "text"])
  static let organization = GraphProperties("organization", ["id", "displayName"])

  static func registration(isBeta: Bool) -> GraphProperties { isBeta ? betaRegistration : firstRegistration }

  private static let firstRegistration = sampleRegistration(isBeta: false)
  private static let betaRegistration = sampleRegistration(isBeta: true)

  private static func sampleRegistration(isBeta: Bool) -> GraphProperties {
    var registration = GraphRegistration(
      id: "", userId: "", appId: "", deviceTag: "", created: .earliestText, lastSync: .earliestText)
    registration.ended = .earliestText
    let names = registration.graph(isBeta: isBeta).names + GraphCall.registrationExpansions
    return GraphProperties("managedAppRegistration", names)
  }

  /// The parts of a policy.
  static let app = GraphProperties("managedMobileApp", ["id", "version", "mobileAppIdentifier"])
  static let setting = GraphProperties("deviceManagementConfigurationSetting", ["id", "settingInstance"])
  static let assignment = GraphProperties(
    "targetedManagedAppPolicyAssignment", ["id", "source", "sourceId", "target"])

  /// Those of the policies of a list; of all lists for `nil`. An export may have more, which `adding` adds.
  static func policy(_ list: PolicyList?, isBeta: Bool) -> GraphProperties {
    let lists = list.map { [$0] } ?? PolicyList.allCases
    return GraphProperties(
      list?.typeName ?? "managedAppPolicy", lists.flatMap { GraphPolicyType[$0].names(isBeta: isBeta) })
  }
}
