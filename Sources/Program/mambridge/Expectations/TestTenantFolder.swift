import Glibc
import JSON
import Support
import Tenancy

/// A test's own copy of a tenant folder.
struct TestTenantFolder {
  private static let tenantFile = "tenant.json"
  /// How deep the folders of a tenant may be.
  private static let deepest = 8

  let path: String

  /// Copies the JSON files of a folder, which are all that a check-in reads of it. Throws if one cannot be read, as the
  /// check-in would not go on without it.
  init(copying original: String, to path: String) throws {
    self.path = path
    try Self.makeFolder(path)
    try Self.copy(original, to: path, depth: 0)
  }

  /// Copies the folder `original`, or the built-in tenant if there is none.
  init(of original: String?, in path: String) throws {
    if let original {
      try self.init(copying: original, to: path)
    } else {
      try self.init(texts: SampleTenant.files, in: path)
    }
  }

  /// Writes files, each directly in the folder or in a folder of its own.
  private init(texts: [String: String], in path: String) throws {
    self.path = path
    try Self.makeFolder(path)
    for (name, text) in texts.sorted(by: { $0.key < $1.key }) {
      let file = path + "/" + name
      let folder = file.parentFolder
      if access(folder, F_OK) != 0 { try Self.makeFolder(folder) }
      try Self.write(Array(text.utf8), to: file)
    }
  }

  /// Changes the files as a line of a test says. Throws what is wrong with the line.
  func apply(_ edit: TenantEdit) throws {
    switch edit {
    case .user(let user, let members): try changeUser(user, members)
    case .policy(let file, let members):
      var policy = try read(file)
      for (name, value) in try Self.values(members) { policy[name] = value }
      try write(policy, to: file)
    case .remove(let file):
      guard unlink(path + "/" + file) == 0 else { throw Self.cannot("remove", file) }
    }
  }

  /// Replaces the text of a file.
  func put(_ text: [UInt8], in file: String) throws { try Self.write(text, to: path + "/" + file) }

  /// Adds the user if there is none with this name.
  private func changeUser(_ name: String, _ members: [String]) throws {
    var tenant = try read(Self.tenantFile)
    var users = tenant["users"]?.arrayValue ?? []
    let index = users.firstIndex { user in
      user["userPrincipalName"]?.stringValue?.lowercased() == name.lowercased()
    }
    var user = index.flatMap { users[$0].objectValue } ?? ["userPrincipalName": .string(name)]
    for (name, value) in try Self.values(members) { user[name == "enabled" ? "accountEnabled" : name] = value }
    if let index { users[index] = .object(user) } else { users.append(.object(user)) }
    tenant["users"] = .array(users)
    try write(tenant, to: Self.tenantFile)
  }

  private static func values(_ members: [String]) throws -> [(String, JSONValue)] {
    try members.map { member in
      let argument = try ParameterArgument(member)
      return (argument.name, try argument.value(ParameterForms()))
    }
  }

  private func read(_ file: String) throws -> JSONObject {
    let bytes: [UInt8]
    do throws(SystemError) {
      bytes = try FileContents.read(path + "/" + file)
    } catch {
      throw Self.cannot("read", file, error)
    }
    guard let object = (try? JSONValue(parsing: bytes))?.objectValue else {
      throw CommandFailure(exitCode: 78, message: "\(file.shown) in the tenant's folder is not a JSON object")
    }
    return object
  }

  private func write(_ object: JSONObject, to file: String) throws {
    try Self.write(Array((JSONValue.object(object).indentedText + "\n").utf8), to: path + "/" + file)
  }

  private static func copy(_ original: String, to path: String, depth: Int) throws {
    guard depth < deepest else {
      throw CommandFailure(
        exitCode: 78, message: "\(original.shown): the folders of a tenant are at most \(deepest) deep")
    }
    for name in try names(original) where !name.hasPrefix(".") {
      let (from, to) = (original + "/" + name, path + "/" + name)
      var status = stat()
      let (isThere, isJSON) = (stat(from, &status) == 0, name.lowercased().hasSuffix(".json"))
      guard isThere || !isJSON else { throw cannot("read", from) }
      if isThere, status.st_mode & S_IFMT == S_IFDIR {
        try makeFolder(to)
        try copy(from, to: to, depth: depth + 1)
      } else if isJSON {
        guard status.st_mode & S_IFMT == S_IFREG else {
          throw CommandFailure(exitCode: 78, message: "cannot read \(from.shown): it is not a regular file")
        }
        let bytes: [UInt8]
        do throws(SystemError) { bytes = try FileContents.read(from) } catch { throw cannot("read", from, error) }
        try write(bytes, to: to)
      }
    }
  }

  /// The names in a folder, in order.
  static func names(_ folder: String) throws -> [String] {
    guard let stream = opendir(folder) else { throw cannot("read", folder) }
    defer { closedir(stream) }
    var names: [String] = []
    while true {
      errno = 0
      guard let entry = readdir(stream) else { break }
      let name = withUnsafeBytes(of: &entry.pointee.d_name) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
      if name != ".", name != ".." { names.append(name) }
    }
    guard errno == 0 else { throw cannot("read", folder) }
    return names.sorted()
  }

  private static func makeFolder(_ path: String) throws {
    guard mkdir(path, 0o700) == 0 else { throw cannot("create", path) }
  }

  private static func write(_ bytes: [UInt8], to file: String) throws {
    let descriptor = open(file, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw cannot("write", file) }
    defer { close(descriptor) }
    var written = 0
    while written < bytes.count {
      let count = bytes[written...].withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
      guard count > 0 || errno == EINTR else { throw cannot("write", file) }
      written += max(0, count)
    }
  }

  private static func cannot(_ verb: String, _ file: String, _ error: SystemError = .current) -> CommandFailure {
    CommandFailure(exitCode: 78, message: "cannot \(verb) \(file.shown): \(error.text)")
  }
}
