import JSON
import Model

/// A change of one object in the files of a tenant.
package enum TenantFileEdit: Hashable, Sendable {
  /// Adds an object with its id, in a file of its own.
  case add(PolicyList, JSONObject)
  /// Sets members of an object; `nil` removes one. All other members stay.
  case change(PolicyList, id: String, [TenantMemberChange])
  case remove(PolicyList, id: String)
  /// Adds a user, or replaces the one of the same id.
  case setUser(JSONObject)
  case removeUser(id: String)
}

package struct TenantMemberChange: Hashable, Sendable {
  package let name: String
  /// `nil` removes the member.
  package let value: JSONValue?

  package init(_ name: String, _ value: JSONValue?) { (self.name, self.value) = (name, value) }

  /// What leads from one object to another one.
  package static func changes(from old: JSONObject, to new: JSONObject) -> [TenantMemberChange] {
    new.members.filter { old[$0.name] != $0.value }.map { TenantMemberChange($0.name, $0.value) }
      + old.names.filter { new[$0] == nil }.map { TenantMemberChange($0, nil) }
  }
}

/// Why files cannot be changed.
package enum TenantEditFault: Error, Hashable, Sendable {
  /// There is no object with the id.
  case unknown(id: String)
  /// An object has the id already.
  case taken(id: String)
  /// tenant.json says for whom the object is; `place` names the entry.
  case overridden(id: String, place: String)
  /// The object is written in a way that cannot be changed here.
  case unsuitable(String)
}

extension TenantEditFault: CustomStringConvertible {
  package var description: String {
    switch self {
    case .unknown(let id): "There is no object with the id \(id.prefix(100))."
    case .taken(let id): "There is an object with the id \(id.prefix(100)) already."
    case .overridden(let id, let place):
      "tenant.json says in \(place) for whom \(id.prefix(100)) is. Change that entry, or remove it first."
    case .unsuitable(let reason): reason
    }
  }
}

/// Where an object is written.
private struct WrittenPlace {
  let file: String
  let text: JSONText
  let list: PolicyList?
  let index: Int
  let object: Range<Int>
  /// Whether the list is a page of an export.
  let isPage: Bool
}

extension TenantFileSet {
  /// The files after edits, one after the other. What an edit does not name keeps its text: the order of members, their
  /// indentation, members that nobody knows, and other objects of the same file.
  package func applying(_ edits: [TenantFileEdit]) throws(TenantEditFault) -> TenantFileSet {
    var texts = texts
    for edit in edits { try TenantFileSet(texts: texts).apply(edit, &texts) }
    return TenantFileSet(texts: texts)
  }

  /// The files after those of the edits that name something that is there. Nothing is added.
  package func applyingWherePossible(_ edits: [TenantFileEdit]) -> TenantFileSet {
    edits.reduce(self) { files, edit in
      if case .add = edit { return files }
      if case .change(_, _, let changes) = edit { return (try? files.changing(edit, changes)) ?? files }
      return (try? files.applying([edit])) ?? files
    }
  }

  private func apply(_ edit: TenantFileEdit, _ texts: inout [String: String]) throws(TenantEditFault) {
    switch edit {
    case .add(let list, let object): try add(object, to: list, &texts)
    case .change(let list, let id, let changes):
      let place = try place(of: id, in: list)
      let written = place.text.value(at: place.object)?.objectValue ?? [:]
      let changes = changes.filter { written[$0.name] != $0.value }
      if changes.contains(where: { Self.targeting.contains($0.name) }), let entry = override(of: place.file) {
        throw .overridden(id: id, place: entry)
      }
      texts[place.file] = change(place, changes)
    case .remove(let list, let id): remove(try place(of: id, in: list), &texts)
    case .setUser(let user): try setUser(user, &texts)
    case .removeUser(let id): try removeUser(id, &texts)
    }
  }

  /// Also if tenant.json says for whom the object is.
  private func changing(
    _ edit: TenantFileEdit, _ changes: [TenantMemberChange]
  ) throws(TenantEditFault) -> TenantFileSet {
    guard case .change(let list, let id, _) = edit else { return self }
    let place = try place(of: id, in: list)
    var texts = texts
    texts[place.file] = change(place, changes)
    return TenantFileSet(texts: texts)
  }

  /// What an assignment in tenant.json replaces.
  private static let targeting = ["apps", "assignments", "appGroupType"]
}

// MARK: - Objects

extension TenantFileSet {
  private func change(_ place: WrittenPlace, _ changes: [TenantMemberChange]) -> String {
    var text = place.text
    for change in changes {
      // The object grows or shrinks with each change.
      let object = Self.objects(of: text)[place.index].object
      text.set(change.name, to: change.value, at: object)
    }
    return text.text
  }

  private func add(
    _ object: JSONObject, to list: PolicyList, _ texts: inout [String: String]
  ) throws(TenantEditFault) {
    guard let id = object["id"]?.stringValue, !id.isEmpty else { throw .unsuitable("The object has no id.") }
    guard places(of: id, in: list).isEmpty else { throw .taken(id: id) }
    texts[freeFile(for: id, in: list)] = JSONValue.object(object).indentedText + "\n"
  }

  private static let longestStem = 100

  /// A name of letters, digits, `-` and `_`, made of the id.
  private func freeFile(for id: String, in list: PolicyList) -> String {
    let folder = list == .configurations ? "configurations" : "policies"
    let letters = id.utf8.prefix(Self.longestStem).map { byte in
      byte.isAlphanumeric || byte == UInt8(ascii: "_") ? byte : UInt8(ascii: "-")
    }
    let stem = String(decoding: letters, as: UTF8.self)
    let taken = Set(texts.keys.map(\.lowercasedASCII))
    var (file, number) = ("\(folder)/\(stem).json", 2)
    while taken.contains(file.lowercasedASCII) {
      (file, number) = ("\(folder)/\(stem)-\(number).json", number + 1)
    }
    return file
  }

  /// The file goes with its last object, and with it what tenant.json says about it: an assignment of a file that is
  /// missing would make all policies unreadable.
  private func remove(_ place: WrittenPlace, _ texts: inout [String: String]) {
    var text = place.text
    let objects = Self.objects(of: text)
    guard place.isPage || objects.count > 1 else { return remove(place.file, &texts) }
    // What has its id from its place keeps it.
    for index in objects.indices.reversed() where index > place.index {
      let object = Self.objects(of: text)[index].object
      guard text.value(at: object)?["id"] == nil else { continue }
      text.set("id", to: .string(Self.fallbackID(of: place.file, index)), at: object)
    }
    if let container = Self.objects(of: text)[place.index].container { text.remove(place.index, at: container) }
    texts[place.file] = text.text
  }

  private func remove(_ file: String, _ texts: inout [String: String]) {
    texts[file] = nil
    var tenant = JSONText(texts[MemberReader.file] ?? "")
    while let assignments = tenant.member("assignments", at: tenant.root),
      let index = tenant.assignedFiles.firstIndex(of: file)
    {
      tenant.remove(index, at: assignments)
    }
    texts[MemberReader.file] = tenant.text
  }

  /// The entry of tenant.json that says for whom the objects of a file are, such as `assignments/0`.
  package func override(of file: String) -> String? {
    JSONText(texts[MemberReader.file] ?? "").assignedFiles.firstIndex(of: file).map { "assignments/\($0)" }
  }

  /// The entry of tenant.json that says for whom an object is; `nil` if its own file does.
  package func override(of id: String, in list: PolicyList) -> String? {
    places(of: id, in: list).lazy.compactMap { override(of: $0.file) }.first
  }

  private func place(of id: String, in list: PolicyList) throws(TenantEditFault) -> WrittenPlace {
    let found = places(of: id, in: list)
    guard let place = found.first else { throw .unknown(id: id) }
    guard found.count == 1 else {
      let files = Set(found.map(\.file)).sorted().joined(separator: " and ")
      throw .unsuitable("Several objects in \(files) have the id \(id). Give each its own id.")
    }
    guard place.text.value(at: place.object)?.objectValue?.deviceDictionary == nil else {
      throw .unsuitable(
        "\(place.file) has the policy as a device writes it, which cannot be changed here. Replace the file by the policy "
          + "as Graph writes it.")
    }
    guard place.list == list else { throw .unknown(id: id) }
    return place
  }

  /// The objects with an id, among policies or among configurations.
  private func places(of id: String, in list: PolicyList) -> [WrittenPlace] {
    let key = id.lowercasedASCII
    return texts.keys.sorted().filter { $0 != MemberReader.file && !$0.hasPrefix("filters/") }.flatMap { file in
      let text = JSONText(texts[file] ?? "")
      let pageContext = text.members(at: text.root) == nil ? nil : text.value(at: text.root)?["@odata.context"]
      let objects = Self.objects(of: text)
      return objects.enumerated().compactMap { index, found -> WrittenPlace? in
        guard let object = text.value(at: found.object)?.objectValue,
          (object["id"]?.stringValue ?? Self.fallbackID(of: file, index)).lowercasedASCII == key
        else { return nil }
        let kind = try? TenantObjectKind(of: object, object["@odata.context"] ?? pageContext)
        let own = kind.flatMap(PolicyList.init)
        guard (own == .configurations) == (list == .configurations) else { return nil }
        return WrittenPlace(
          file: file, text: text, list: own, index: index, object: found.object, isPage: found.isPage)
      }
    }
  }

  /// As in `TenantObjects`.
  private static func fallbackID(of file: String, _ index: Int) -> String {
    let stem = HeldFile.id(of: file) ?? (file.hasSuffix(".json") ? String(file.dropLast(5)) : file)
    return index == 0 ? stem : "\(stem)#\(index + 1)"
  }

  private struct FoundObject {
    let object: Range<Int>
    /// The list that the object is in; `nil` if it is the whole file.
    let container: Range<Int>?
    let isPage: Bool
  }

  /// The objects of a list, of a page of an export, or the one that the file is.
  private static func objects(of text: JSONText) -> [FoundObject] {
    let root = text.root
    if let elements = text.elements(at: root) {
      return elements.map { FoundObject(object: $0, container: root, isPage: false) }
    }
    guard let page = text.member("value", at: root), let elements = text.elements(at: page) else {
      return [FoundObject(object: root, container: nil, isPage: false)]
    }
    return elements.map { FoundObject(object: $0, container: page, isPage: true) }
  }
}

extension JSONText {
  /// Of tenant.json, in the order of its assignments.
  fileprivate var assignedFiles: [String?] {
    guard let place = member("assignments", at: root) else { return [] }
    return (elements(at: place) ?? []).map { value(at: $0)?["policy"]?.stringValue?.normalizedPath }
  }
}

extension PolicyList {
  /// `nil` for what protects no apps.
  fileprivate init?(_ kind: TenantObjectKind) {
    guard let type = kind.type, let list = PolicyList.allCases.first(where: { $0.type.hasSuffix("." + type) }) else {
      return nil
    }
    self = list
  }
}

// MARK: - Users

extension TenantFileSet {
  private func setUser(_ user: JSONObject, _ texts: inout [String: String]) throws(TenantEditFault) {
    guard let id = user["id"]?.stringValue, !id.isEmpty else { throw .unsuitable("The user has no id.") }
    var tenant = JSONText(texts[MemberReader.file] ?? "")
    if tenant.member("users", at: tenant.root) == nil { tenant.set("users", to: [], at: tenant.root) }
    guard let (_, index, old) = tenant.user(id) else {
      guard let list = tenant.member("users", at: tenant.root) else { return }
      tenant.append(.object(user), at: list)
      texts[MemberReader.file] = tenant.text
      return
    }
    // Absence is no instruction: Graph does not know all members.
    for change in TenantMemberChange.changes(from: old, to: user) where change.value != nil {
      guard let list = tenant.member("users", at: tenant.root), let place = tenant.elements(at: list)?[index] else {
        continue
      }
      tenant.set(change.name, to: change.value, at: place)
    }
    texts[MemberReader.file] = tenant.text
  }

  private func removeUser(_ id: String, _ texts: inout [String: String]) throws(TenantEditFault) {
    var tenant = JSONText(texts[MemberReader.file] ?? "")
    guard let (list, index, _) = tenant.user(id) else { throw .unknown(id: id) }
    tenant.remove(index, at: list)
    texts[MemberReader.file] = tenant.text
  }
}

extension JSONText {
  /// A user of tenant.json, and its place in the list. The id of a user without one comes from the name.
  fileprivate func user(_ id: String) -> (list: Range<Int>, index: Int, user: JSONObject)? {
    guard let list = member("users", at: root) else { return nil }
    for (index, place) in (elements(at: list) ?? []).enumerated() {
      guard let user = value(at: place)?.objectValue,
        (user["id"]?.stringValue.nonEmpty ?? user["userPrincipalName"]?.stringValue?.lowercasedASCII.derivedGUID)?
          .lowercasedASCII == id.lowercasedASCII
      else { continue }
      return (list, index, user)
    }
    return nil
  }
}
