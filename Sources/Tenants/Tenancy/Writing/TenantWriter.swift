import Glibc
import JSON
import Model
import Support

/// Changes the files of a tenant's folder as an administrator with an editor would. A check-in reads each file as it was
/// before a change or after it, never a part.
package struct TenantWriter: Sendable {
  package let path: String

  package init(path: String) {
    self.path = path
  }

  /// Writes the files of the built-in tenant into a new folder.
  package init(sampleAt path: String) throws(TenantWriteError) {
    try self.init(SampleTenant.files, at: path)
  }

  /// Writes a tenant without users and policies into a new folder.
  package init(emptyAt path: String) throws(TenantWriteError) {
    let tenant: JSONValue = [
      "tenantId": "5a4d0000-0000-4000-8000-000000000001", "displayName": "Sandbox", "users": [], "assignments": [],
    ]
    try self.init([MemberReader.file: tenant.indentedText + "\n"], at: path)
    try makeFolder(of: "policies/none.json")
  }

  private init(_ texts: [String: String], at path: String) throws(TenantWriteError) {
    self.path = path
    try Self.makeFolder(path)
    for folder in Set(texts.keys.compactMap(Self.folder(of:))) { try Self.makeFolder(path + "/" + folder) }
    for (name, text) in texts { try writeFirst(Array(text.utf8), to: name) }
  }

  /// Copies the JSON files of a folder into a new folder: all that a check-in reads. Throws if a file cannot be read, as
  /// the check-in would not go on without it.
  package init(copying original: String, to path: String) throws(TenantWriteError) {
    self.path = path
    try Self.makeFolder(path)
    try Self.copy(original, to: path, depth: 0)
  }

  /// The members of a file that contains one object.
  package func read(_ file: String) throws(TenantWriteError) -> JSONObject {
    guard let object = try value(of: file).objectValue else {
      throw TenantWriteError("\(Self.shown(file)) in the tenant's folder is not a JSON object")
    }
    return object
  }

  /// The content of a file.
  func value(of file: String) throws(TenantWriteError) -> JSONValue {
    let bytes: [UInt8]
    do throws(SystemError) {
      bytes = try FileContents.read(path + "/" + file, upTo: TenantFileLimits.largestFile)
    } catch {
      throw .cannot("read", file, error)
    }
    do throws(JSONParseError) {
      return try JSONValue(parsing: bytes)
    } catch {
      throw TenantWriteError("\(Self.shown(file)) in the tenant's folder is not JSON: \(error.description)")
    }
  }

  /// Replaces members of a file that contains one object.
  package func set(_ members: [(String, JSONValue)], in file: String) throws(TenantWriteError) {
    var object = try read(file)
    for (name, value) in members { object[name] = value }
    try write(object, to: file)
  }

  package func remove(_ file: String) throws(TenantWriteError) {
    guard unlink(path + "/" + file) == 0 else { throw .cannot("remove", file) }
  }

  /// Changes tenant.json.
  func changeTenant<Result>(
    _ change: (inout JSONObject) throws(TenantWriteError) -> Result
  ) throws(TenantWriteError) -> Result {
    var tenant = try read(MemberReader.file)
    let before = tenant
    let result = try change(&tenant)
    if tenant != before || tenant.names != before.names { try write(tenant, to: MemberReader.file) }
    return result
  }

  package func write(_ object: JSONObject, to file: String) throws(TenantWriteError) {
    try makeFolder(of: file)
    try write(Array((JSONValue.object(object).indentedText + "\n").utf8), to: file)
  }

  static func shown(_ name: String) -> String { name.utf8.count > 200 ? "a file with a long name" : name }
}

/// Why a change of a tenant's folder was not made.
package struct TenantWriteError: Error, Hashable, Sendable, CustomStringConvertible {
  /// What is wrong and what to do about it.
  package let description: String
  /// What the caller has to change, such as "audience"; `nil` if a file failed.
  package let member: String?
  package let isDiskFull: Bool

  init(_ description: String, in member: String? = nil, isDiskFull: Bool = false) {
    (self.description, self.member, self.isDiskFull) = (description, member, isDiskFull)
  }

  static func cannot(_ verb: String, _ file: String, _ error: SystemError = .current) -> TenantWriteError {
    TenantWriteError(
      "cannot \(verb) \(TenantWriter.shown(file)): \(error.text)",
      isDiskFull: [ENOSPC, EDQUOT].contains(error.number))
  }
}

// Files

extension TenantWriter {
  /// The names in a folder, in order.
  package static func names(_ folder: String) throws(TenantWriteError) -> [String] {
    guard let stream = opendir(folder) else { throw .cannot("read", folder) }
    defer { closedir(stream) }
    var names: [String] = []
    while true {
      errno = 0
      guard let entry = readdir(stream) else { break }
      let name = withUnsafeBytes(of: &entry.pointee.d_name) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
      if name != ".", name != ".." { names.append(name) }
    }
    guard errno == 0 else { throw .cannot("read", folder) }
    return names.sorted()
  }

  private static func copy(_ original: String, to path: String, depth: Int) throws(TenantWriteError) {
    guard depth < TenantFileLimits.deepest else {
      throw TenantWriteError("\(shown(original)): the folders of a tenant are at most \(TenantFileLimits.deepest) deep")
    }
    for name in try names(original) where !name.hasPrefix(".") {
      let (from, to) = (original + "/" + name, path + "/" + name)
      var status = stat()
      let (isThere, isJSON) = (stat(from, &status) == 0, name.lowercased().hasSuffix(".json"))
      guard isThere || !isJSON else { throw .cannot("read", from) }
      if isThere, status.st_mode & S_IFMT == S_IFDIR {
        try makeFolder(to)
        try copy(from, to: to, depth: depth + 1)
      } else if isJSON {
        guard status.st_mode & S_IFMT == S_IFREG else {
          throw TenantWriteError("cannot read \(shown(from)): it is not a regular file")
        }
        try TenantWriter(path: path).writeFirst(contents(of: from), to: name)
      }
    }
  }

  private static func contents(of path: String) throws(TenantWriteError) -> [UInt8] {
    do throws(SystemError) {
      return try FileContents.read(path, upTo: TenantFileLimits.largestFile)
    } catch {
      throw .cannot("read", path, error)
    }
  }

  private static func makeFolder(_ path: String) throws(TenantWriteError) {
    guard mkdir(path, 0o700) == 0 else { throw .cannot("create", path) }
  }

  /// The folder in which a file is; `nil` for a file of the tenant's folder itself.
  private static func folder(of file: String) -> String? { file.lastIndex(of: "/").map { String(file[..<$0]) } }

  private func makeFolder(of file: String) throws(TenantWriteError) {
    guard let name = Self.folder(of: file) else { return }
    let folder = path + "/" + name
    guard mkdir(folder, 0o700) == 0 || errno == EEXIST else { throw .cannot("create", folder) }
  }

  package func write(_ bytes: [UInt8], to file: String) throws(TenantWriteError) {
    try makeFolder(of: file)
    let target = path + "/" + file
    let draft = target + ".new"
    try create(bytes, at: draft, O_TRUNC, as: file)
    guard rename(draft, target) == 0 else { throw .cannot("write", file) }
  }

  /// Writes a file of a new tenant, which nobody reads yet, into a folder that is there.
  private func writeFirst(_ bytes: [UInt8], to file: String) throws(TenantWriteError) {
    try create(bytes, at: path + "/" + file, O_EXCL, as: file)
  }

  private func create(
    _ bytes: [UInt8], at target: String, _ mode: Int32, as file: String
  ) throws(TenantWriteError) {
    let descriptor = open(target, O_WRONLY | O_CREAT | O_NOFOLLOW | O_CLOEXEC | mode, 0o600)
    guard descriptor >= 0 else { throw .cannot("write", file) }
    let failure: SystemError?
    do throws(SystemError) {
      try WholeBytes.write(bytes, to: descriptor)
      failure = nil
    } catch {
      failure = error
    }
    close(descriptor)
    guard let failure else { return }
    unlink(target)
    throw .cannot("write", file, failure)
  }
}
