import JSON
import Model

/// Makes one snapshot of a tenant's files.
struct TenantReader {
  private let files: any TenantFiles
  private var snapshot = TenantSnapshot()

  init(files: any TenantFiles) {
    self.files = files
  }

  func read() throws(TenantError) -> TenantSnapshot {
    var reader = self
    try reader.readAll()
    return reader.snapshot
  }

  private mutating func readAll() throws(TenantError) {
    guard case .object(let object)? = try parse("tenant.json") else {
      throw .unparsable(file: "tenant.json", reason: "is missing, or holds no JSON object")
    }
    snapshot = try TenantSnapshot(tenantFile: object)
    let policies = try files.list("policies")
    let configurations = try files.list("configurations")
    for file in policies { try readObjects(file, fallback: .protection(.ios)) }
    for file in configurations { try readObjects(file, fallback: .configuration) }
    for file in assignedElsewhere(known: Set(policies + configurations)) {
      try readObjects(file, fallback: .protection(.ios))
    }
    sort()
  }

  /// Files that tenant.json assigns and that are in neither folder.
  private func assignedElsewhere(known: Set<String>) -> [String] {
    Set(snapshot.assignments.map(\.file)).subtracting(known).sorted()
  }

  /// Nil when there is no such file.
  private mutating func parse(_ file: String) throws(TenantError) -> JSONValue? {
    switch try files.read(file) {
    case .absent:
      snapshot.warnings.append(PolicyWarning(file, "there is no such file; a link may lead nowhere"))
      return nil
    case .notAFile:
      snapshot.warnings.append(PolicyWarning(file, "is no regular file and ignored"))
      return nil
    case .bytes(let bytes): return try parse(bytes, of: file)
    }
  }

  /// Without the byte order mark that some exports begin with.
  private func parse(_ bytes: [UInt8], of file: String) throws(TenantError) -> JSONValue {
    guard !bytes.starts(with: [0xFF, 0xFE]), !bytes.starts(with: [0xFE, 0xFF]) else {
      throw .unparsable(file: file, reason: "is UTF-16; save it as UTF-8")
    }
    do { return try JSONValue(parsing: bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? Array(bytes[3...]) : bytes) } catch {
      throw .unparsable(file: file, reason: error.description)
    }
  }

  private mutating func readObjects(_ file: String, fallback: TenantObjectKind) throws(TenantError) {
    guard let value = try parse(file) else { return }
    guard let elements = value.arrayValue ?? value["value"]?.arrayValue ?? value.objectValue.map({ [.object($0)] })
    else { throw .unparsable(file: file, reason: "must hold an object or a list of objects") }
    let fallback = TenantObjectKind(context: value["@odata.context"]?.stringValue) ?? fallback
    if let next = value["@odata.nextLink"], !next.isNull {
      let text = "there are more pages, which are missing: get what this address names into another file"
      snapshot.warnings.append(PolicyWarning(file, "@odata.nextLink", text))
    }
    for (index, element) in elements.enumerated() {
      guard let object = element.objectValue else {
        throw .unparsable(file: file, reason: "element \(index) of the list is no object")
      }
      let stem = file.hasSuffix(".json") ? String(file.dropLast(5)) : file
      add(object, file, fallback, fallbackID: index == 0 ? stem : "\(stem)#\(index + 1)")
    }
  }

  private mutating func add(
    _ object: JSONObject, _ file: String, _ fallback: TenantObjectKind, fallbackID: String
  ) {
    if let dictionary = object.deviceDictionary {
      snapshot.policies.append(
        PolicyDocument(device: dictionary, source: file, fallbackID: fallbackID, warnings: &snapshot.warnings))
      return
    }
    switch TenantObjectKind(object["@odata.type"]?.stringValue, fallback: fallback) {
    case .protection(let kind):
      snapshot.policies.append(
        PolicyDocument(graph: object, kind: kind, source: file, fallbackID: fallbackID, warnings: &snapshot.warnings))
    case .configuration:
      snapshot.configurations.append(
        ConfigurationDocument(graph: object, source: file, fallbackID: fallbackID, warnings: &snapshot.warnings))
    case nil:
      let type = (object["@odata.type"] ?? .null).shortText
      snapshot.warnings.append(PolicyWarning(file, "@odata.type", "\(type) is not known; the object is ignored"))
    }
  }

  /// Orders by id and makes ids unique: a copied file often keeps the id of the original.
  private mutating func sort() {
    snapshot.policies.sort { ($0.id, $0.source) < ($1.id, $1.source) }
    snapshot.configurations.sort { ($0.id, $0.source) < ($1.id, $1.source) }
    for (index, id, source) in snapshot.policies.map({ ($0.id, $0.source) }).repeated {
      snapshot.policies[index].id = id
      snapshot.warnings.append(PolicyWarning(source, "id", "another policy has it too; \(id) stands for this one"))
    }
    for (index, id, source) in snapshot.configurations.map({ ($0.id, $0.source) }).repeated {
      snapshot.configurations[index].id = id
      snapshot.warnings.append(PolicyWarning(source, "id", "another has it too; \(id) stands for this one"))
    }
  }
}

extension [(String, String)] {
  /// Where an id stood before, with a new one and the source.
  fileprivate var repeated: [(index: Int, id: String, source: String)] {
    var seen: [String: Int] = [:]
    return enumerated().compactMap { index, element in
      let count = (seen[element.0] ?? 0) + 1
      seen[element.0] = count
      return count == 1 ? nil : (index, "\(element.0)#\(count)", element.1)
    }
  }
}
