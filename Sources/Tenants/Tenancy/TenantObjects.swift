import JSON
import Model
import Policy

/// Makes the policies and configurations of a snapshot from their objects, which are as Graph or a device writes them.
///
/// What cannot be read throws; the caller then calls `leaveOutPolicies`.
struct TenantObjects {
  var snapshot: TenantSnapshot
  /// The files that tenant.json assigns.
  let assignedFiles: Set<String>
  private let isTargeted: Bool
  private let keepsObjects: Bool
  private let leavesOutUnreadable: Bool
  private var exports = GraphExports()

  /// `snapshot` has what tenant.json says. A source that has chosen what applies to its user is not `targeted` again. The
  /// others are as in `TenantReader`.
  init(
    of snapshot: TenantSnapshot, isTargeted: Bool = true, keepsObjects: Bool = false, leavesOutUnreadable: Bool = false
  ) {
    self.snapshot = snapshot
    assignedFiles = Set(snapshot.assignments.map(\.file))
    (self.isTargeted, self.keepsObjects) = (isTargeted, keepsObjects)
    self.leavesOutUnreadable = leavesOutUnreadable
  }

  /// Call this once, after everything was added.
  mutating func finish() throws(TenantError) {
    if !leavesOutUnreadable { try exports.check() }
    if snapshot.blocksUnknownRestrictions {
      for index in snapshot.policies.indices { snapshot.policies[index].blocksUnknown = true }
    }
    sort()
  }

  /// Adds the assignment filters of a list.
  mutating func addFilters(_ value: JSONValue, from file: String) throws(TenantError) {
    for object in try objects(of: value, file) {
      guard let filter = AssignmentFilter(object, source: file) else {
        snapshot.warnings.append(PolicyWarning(file, "id", "a filter without an id is ignored"))
        continue
      }
      snapshot.filters.add(filter)
    }
  }

  /// Adds the policies and configurations of a list. `file` is where it is from.
  mutating func add(_ value: JSONValue, from file: String) throws(TenantError) {
    let objects = try objects(of: value, file)
    let stem = HeldFile.id(of: file) ?? (file.hasSuffix(".json") ? String(file.dropLast(5)) : file)
    for (index, object) in objects.enumerated() {
      let id = index == 0 ? stem : "\(stem)#\(index + 1)"
      do throws(DocumentFault) {
        if object["id"]?.stringValue == nil, HeldFile.id(of: file) == nil { snapshot.placeIDs.insert(id) }
        try add(object, file, object["@odata.context"] ?? value["@odata.context"], fallbackID: id)
      } catch {
        let place = objects.count == 1 ? "" : "element \(index) of the list: "
        let fault = TenantError.unparsable(file: file, reason: place + error.reason)
        guard leavesOutUnreadable else { throw fault }
        let id = object["id"]?.stringValue ?? id
        snapshot.unreadable.append(UnreadableObject(id: id, fault: fault, file: file))
      }
    }
  }

  private mutating func objects(of value: JSONValue, _ file: String) throws(TenantError) -> [JSONObject] {
    let elements = try elements(of: value, file)
    exports.add(value, file)
    var objects: [JSONObject] = []
    for (index, element) in elements.enumerated() {
      guard let object = element.objectValue else {
        throw .unparsable(file: file, reason: "element \(index) of the list must be an object")
      }
      objects.append(object)
    }
    return objects
  }

  /// The objects of a list or of an answer of Graph, or the only object of the file.
  private func elements(of value: JSONValue, _ file: String) throws(TenantError) -> [JSONValue] {
    if let list = value.arrayValue { return list }
    guard let object = value.objectValue else {
      throw .unparsable(file: file, reason: "must contain an object or a list of objects")
    }
    if object["error"]?.objectValue != nil {
      throw .unparsable(
        file: file, reason: "contains an error from Graph instead of policies; export the policies again")
    }
    guard let page = object["value"] else { return [value] }
    if let other = object.names.first(where: { $0 != "value" && !$0.hasPrefix("@") }) {
      throw .unparsable(file: file, reason: "has value, like a page of an export, beside \(other), like a policy")
    }
    guard let list = page.arrayValue else { throw .unparsable(file: file, reason: "value must be a list of objects") }
    return list
  }

  /// `context` is the `@odata.context` of the object, or else of its page.
  private mutating func add(
    _ object: JSONObject, _ file: String, _ context: JSONValue?, fallbackID: String
  ) throws(DocumentFault) {
    if let dictionary = object.deviceDictionary {
      guard object["@odata.type"] == nil else {
        throw DocumentFault("has IntuneMAMPolicies, like a device, beside an @odata.type, like Graph")
      }
      snapshot.policies.append(
        try PolicyDocument(device: dictionary, source: file, fallbackID: fallbackID, warnings: &snapshot.warnings))
      if keepsObjects { snapshot.policyObjects.append(dictionary) }
      return
    }
    switch try TenantObjectKind(of: object, context) {
    case .protection(let kind):
      let policy = try PolicyDocument(
        graph: object, kind: kind, source: file, fallbackID: fallbackID, warnings: &snapshot.warnings)
      try checkApps(policy.targeting, file)
      snapshot.policies.append(policy)
      if keepsObjects { snapshot.policyObjects.append(object.typed(.protection(kind))) }
    case .configuration:
      snapshot.configurations.append(
        try ConfigurationDocument(graph: object, source: file, fallbackID: fallbackID, warnings: &snapshot.warnings))
      if keepsObjects { snapshot.configurationObjects.append(object.typed(.configuration)) }
    case .foreign(let type):
      snapshot.warnings.append(
        PolicyWarning(file, "@odata.type", "\(type) is not an app protection policy and is ignored"))
    }
  }

  /// A policy for selected apps that does not list them is not whole, unless its own targeting does not count.
  private func checkApps(_ targeting: PolicyTargeting, _ file: String) throws(DocumentFault) {
    guard isTargeted, targeting.appGroupType == .selectedPublicApps, targeting.apps == nil,
      !assignedFiles.contains(file)
    else { return }
    throw DocumentFault(
      "apps", "is missing, although appGroupType is selectedPublicApps; export the policy with $expand=apps")
  }

  /// Sorts by id and makes the ids unique, because a copied file often keeps the id of the original.
  private mutating func sort() {
    sortObjects()
    snapshot.policies.sort { ($0.id, $0.source) < ($1.id, $1.source) }
    snapshot.configurations.sort { ($0.id, $0.source) < ($1.id, $1.source) }
    defer { nameObjects() }
    for (index, id, source) in snapshot.policies.map({ ($0.id, $0.source) }).repeated {
      snapshot.placeIDs.formUnion([snapshot.policies[index].id, id])
      snapshot.policies[index].id = id
      snapshot.warnings.append(
        PolicyWarning(source, "id", "another policy has the same id; this policy is called \(id) instead"))
    }
    for (index, id, source) in snapshot.configurations.map({ ($0.id, $0.source) }).repeated {
      snapshot.placeIDs.formUnion([snapshot.configurations[index].id, id])
      snapshot.configurations[index].id = id
      snapshot.warnings.append(
        PolicyWarning(source, "id", "another configuration has the same id; this configuration is called \(id) instead")
      )
    }
  }

  /// As the documents will be.
  private mutating func sortObjects() {
    guard keepsObjects else { return }
    let policies = zip(snapshot.policies, snapshot.policyObjects).sorted {
      ($0.0.id, $0.0.source) < ($1.0.id, $1.0.source)
    }
    let configurations = zip(snapshot.configurations, snapshot.configurationObjects).sorted {
      ($0.0.id, $0.0.source) < ($1.0.id, $1.0.source)
    }
    (snapshot.policyObjects, snapshot.configurationObjects) = (policies.map(\.1), configurations.map(\.1))
  }

  /// Gives the objects the ids of their documents. The dictionary of a device has none.
  private mutating func nameObjects() {
    for index in snapshot.policyObjects.indices where snapshot.policyObjects[index].deviceDictionary == nil {
      snapshot.policyObjects[index]["id"] = .string(snapshot.policies[index].id)
    }
    for index in snapshot.configurationObjects.indices {
      snapshot.configurationObjects[index]["id"] = .string(snapshot.configurations[index].id)
    }
  }
}

/// The pages of exports from Graph, which are whole only with their last page.
private struct GraphExports {
  /// The first file whose page says that another follows, by the context of the page.
  private var unfinished: [String: String] = [:]
  private var finished: Set<String> = []

  mutating func add(_ page: JSONValue, _ file: String) {
    let context = page["@odata.context"]?.stringValue ?? ""
    if page["@odata.nextLink"] ?? .null != .null {
      unfinished[context] = unfinished[context] ?? file
    } else if page["value"] != nil {
      finished.insert(context)
    }
  }

  func check() throws(TenantError) {
    guard let page = unfinished.filter({ !finished.contains($0.key) }).min(by: { $0.value < $1.value }) else { return }
    throw .unparsable(
      file: page.value,
      reason: "@odata.nextLink: the export has another page; save the page at this address in a second file")
  }
}

extension JSONObject {
  /// The object with its type, so that it needs neither its folder nor the context of its file.
  fileprivate func typed(_ kind: TenantObjectKind) -> JSONObject {
    guard self["@odata.type"] == nil || self["@odata.type"] == .null, let type = kind.type else { return self }
    var object = self
    object["@odata.type"] = .string("#microsoft.graph." + type)
    return object
  }
}

extension [(String, String)] {
  /// The elements whose id occurred before, with a new id and the source.
  fileprivate var repeated: [(index: Int, id: String, source: String)] {
    var seen: [String: Int] = [:]
    return enumerated().compactMap { index, element in
      let count = (seen[element.0] ?? 0) + 1
      seen[element.0] = count
      return count == 1 ? nil : (index, "\(element.0)#\(count)", element.1)
    }
  }
}
