import JSON
import Model
import Policy

/// Where an object is kept that a newer version of a tenant lacks. No folder can have such a file.
enum HeldFile {
  private static let place = ".held/"
  private static let end = ".json"

  /// `folder` is such as `policies/`.
  static func name(_ folder: String, _ id: String) -> String { folder + place + id.escapingSlashes + end }

  /// The id of the object in a file of this kind; `nil` for other files.
  static func id(of file: String) -> String? {
    for folder in ["policies/", "configurations/"] where file.hasPrefix(folder + place) && file.hasSuffix(end) {
      return String(file.dropFirst(folder.count + place.count).dropLast(end.count)).restoringSlashes
    }
    return nil
  }
}

extension String {
  fileprivate var escapingSlashes: String {
    reduce(into: "") { $0 += $1 == "~" ? "~0" : $1 == "/" ? "~1" : String($1) }
  }

  fileprivate var restoringSlashes: String {
    var (text, isEscape) = ("", false)
    for character in self {
      if isEscape {
        text.append(character == "1" ? "/" : "~")
      } else if character != "~" {
        text.append(character)
      }
      isEscape = !isEscape && character == "~"
    }
    return text
  }
}

/// A policy or a configuration that is kept, in a file of its own, so that nothing else in its file changes.
struct HeldObject {
  let file: String
  /// With its id.
  let object: JSONObject
  /// The assignments of tenant.json for the file.
  let assignments: [JSONValue]

  /// `assignments` are those of another file.
  init(_ id: String, _ object: JSONObject, in folder: String, assignments: [JSONValue]) {
    let file = HeldFile.name(folder, id)
    self.file = file
    var object = object
    if object.deviceDictionary == nil { object["id"] = .string(id) }
    self.object = object
    self.assignments = assignments.map { $0.assigning(file) }.reduce(into: []) { all, assignment in
      if !all.contains(assignment) { all.append(assignment) }
    }
  }

  /// The filters that the object's assignments name, in lower case.
  var filters: [String] {
    (object["assignments"]?.arrayValue ?? []).compactMap {
      $0["target"]?["deviceAndAppManagementAssignmentFilterId"]?.stringValue?.lowercasedASCII
    }
  }
}

extension JSONValue {
  /// An assignment of tenant.json for another file.
  fileprivate func assigning(_ file: String) -> JSONValue {
    var object = objectValue ?? [:]
    object["policy"] = .string(file)
    return .object(object)
  }
}

extension JSONObject {
  private static let targeting = ["assignments", "apps", "appGroupType", "targetedAppManagementLevels"]

  /// The policy for those and only those who had it.
  func targeted(like earlier: JSONObject) -> JSONObject {
    var object = self
    for name in Self.targeting { object[name] = earlier[name] }
    return object
  }

  /// The policy for those who have it and those who had it.
  func alsoTargeted(like earlier: JSONObject) -> JSONObject {
    var object = self
    if let targets = self["assignments"]?.arrayValue {
      let everybody: JSONValue = ["target": ["@odata.type": "#microsoft.graph.allLicensedUsersAssignmentTarget"]]
      let before = earlier["assignments"]?.arrayValue ?? [everybody]
      object["assignments"] = .array(targets + before.filter { !targets.contains($0) })
    }
    guard self["appGroupType"] == earlier["appGroupType"], let apps = self["apps"]?.arrayValue else {
      for name in ["apps", "appGroupType"] { object[name] = earlier[name] }
      return object
    }
    let before = earlier["apps"]?.arrayValue
    object["apps"] = before.map { .array(apps + $0.filter { !apps.contains($0) }) }
    return object
  }
}

extension TenantFileSet {
  /// The objects of `filters/` with one of these ids, which are in lower case.
  func filterObjects(_ ids: Set<String>) -> [JSONValue] {
    texts.filter { $0.key.hasPrefix("filters/") }.sorted { $0.key < $1.key }.flatMap { file -> [JSONValue] in
      guard let value = try? JSONValue(parsing: file.value) else { return [] }
      return value.arrayValue ?? value["value"]?.arrayValue ?? [value]
    }.filter { ids.contains($0["id"]?.stringValue?.lowercasedASCII ?? "") }
  }
}
