import Glibc
import HTTP
import JSON
import Model
import Support
import Vault

/// What belongs to a development tenant: its files, the store, the certificate, and the state of a bridge that tries it.
/// For this user alone, and locked while it is used.
final class DevelopmentFolder: Sendable {
  let path: String
  /// Whether it ends with the process.
  let isThrowaway: Bool
  /// Whether this run has made the tenant.
  let isNew: Bool
  private let descriptor: Int32
  private let lock: Int32
  /// The folder of a tenant that somebody else has made; `nil` for one of its own.
  private let givenTenant: String?

  var tenant: String { givenTenant ?? path + "/tenant" }
  /// Whether the tenant's folder is somebody else's, of which only the files of the tenant are ours to change.
  var isTenantGiven: Bool { givenTenant != nil }
  /// Whether this run has made up the users.
  var hasSample: Bool { isNew && givenTenant == nil }
  var store: String { path + "/store.sqlite" }
  var certificate: String { path + "/certificate.pem" }
  var privateKey: String { path + "/certificate.key" }
  /// For a bridge: not that of the user, which may be enrolled elsewhere. Its file `development` marks it.
  var state: String { path + "/device" }

  /// Says that the folder is one of these. Comes last when the folder is made.
  private static let mark = "development.json"
  /// Is there instead of the mark while the folder is being made, and stays if the process is killed meanwhile.
  private static let beginning = "unfinished.json"
  /// Locked while the folder is used. The lock of the folder itself is for those who change the tenant in it.
  private static let lockName = DevelopmentRuns.lockName
  private static let markText = Array("{\"development\": true}\n".utf8)

  /// A folder that ends with the process. `tenant` is the folder of a tenant that stays; `nil` for the sample.
  static func throwaway(tenant: String? = nil) throws -> DevelopmentFolder {
    let runs = try RunsFolder(makes: true)
    DevelopmentRuns.removeAbandoned()
    return try DevelopmentFolder(runs.path + "/" + .randomUUID, isThrowaway: true, tenant: tenant)
  }

  /// A folder to keep. Throws if it has files of something else.
  static func kept(_ path: String) throws -> DevelopmentFolder {
    _ = try RunsFolder(makes: true)
    DevelopmentRuns.removeAbandoned()
    return try DevelopmentFolder(path, isThrowaway: false)
  }

  private init(_ given: String, isThrowaway: Bool, tenant: String? = nil) throws {
    givenTenant = try tenant.map { tenant in
      guard let real = realpath(tenant, nil) else { throw Self.cannot("find the tenant", tenant) }
      defer { free(real) }
      return String(cString: real)
    }
    guard mkdir(given, 0o700) == 0 || errno == EEXIST && !isThrowaway else {
      throw Self.cannot("make the folder", given)
    }
    descriptor = open(given, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard descriptor >= 0 else { throw Self.cannot("open the folder", given) }
    guard let real = realpath(given, nil) else { throw Self.cannot("find the folder", given) }
    defer { free(real) }
    path = String(cString: real)
    self.isThrowaway = isThrowaway
    guard try Self.isOurs(path) else {
      throw CommandFailure.configuration(
        "the folder \(path) has other files. Name a new folder, or one of an earlier mambridge-tenant dev.")
    }
    try RunsFolder.checkPrivate(descriptor, path)
    lock = openat(descriptor, Self.lockName, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0o600)
    guard lock >= 0 else { throw Self.cannot("make", path + "/" + Self.lockName) }
    switch Flock.take(lock) {
    case .taken: break
    case .held:
      throw CommandFailure(
        exitCode: EX_UNAVAILABLE, message: "\(LockHolder.name(of: lock)) already uses the folder \(path).")
    case .failed(let error): throw CommandFailure.configuration("cannot lock the folder \(path): \(error.text)")
    }
    // The process that had the lock may have finished the folder.
    isNew = access(path + "/" + Self.mark, F_OK) != 0
  }

  private static func names(_ path: String) throws -> [String] {
    do throws(MAMError) { return try Folder.names(path) } catch {
      throw CommandFailure.configuration(error.description)
    }
  }

  private static func isOurs(_ path: String) throws -> Bool {
    let names = try names(path)
    return names.allSatisfy { $0 == lockName } || names.contains(mark) || names.contains(beginning)
  }

  deinit {
    close(lock)
    close(descriptor)
  }

  /// Writes a file that only this user can read, or replaces it in one step.
  func write(_ bytes: [UInt8], to name: String) throws {
    do throws(SystemError) {
      let file = try NewFile(in: descriptor, draft: name + ".new")
      try file.append(bytes)
      try file.replace(name)
    } catch {
      throw CommandFailure(exitCode: EX_IOERR, message: "cannot write \(path)/\(name): \(error.text)")
    }
  }

  /// Makes the state of a bridge, which may have been removed to begin anew, and writes the tenant of a new folder. Goes
  /// on where a process was killed that did so. Throws if the tenant of a folder that was finished is gone.
  func fill(_ files: [String: String]) throws {
    try removeDrafts()
    if isNew { try write(Self.markText, to: Self.beginning) }
    try make("device")
    if access(state + "/development", F_OK) != 0 { try write([], to: "device/development") }
    if access(tenant + "/tenant.json", F_OK) != 0 {
      guard givenTenant == nil else {
        throw CommandFailure.configuration(
          "\(tenant)/tenant.json is missing. Name the folder of a tenant with --tenant.")
      }
      guard isNew else {
        throw CommandFailure.configuration(
          "\(tenant)/tenant.json is missing. Bring it back, or remove the folder \(path) to begin with a new tenant.")
      }
      try makeTenant(files)
    }
    guard isNew else { return }
    guard renameat(descriptor, Self.beginning, descriptor, Self.mark) == 0 else {
      throw Self.cannot("make", path + "/" + Self.mark)
    }
    fsync(descriptor)
  }

  /// In one step, so that a tenant is whole or not there.
  private func makeTenant(_ files: [String: String]) throws {
    let draft = "tenant.new"
    for name in [draft, draft + "/policies"] { try make(name) }
    for (name, text) in files { try write(Array(text.utf8), to: draft + "/" + name) }
    guard renameat(descriptor, draft, descriptor, "tenant") == 0 else { throw Self.cannot("make", tenant) }
  }

  /// Of a process that was killed. The state belongs to a bridge, which may have drafts of its own there.
  private func removeDrafts() throws {
    for name in try Self.names(path) where name.hasSuffix(".new") {
      guard unlink(path + "/" + name) != 0 else { continue }
      do throws(MAMError) { try Folder.remove(path + "/" + name) } catch {
        throw CommandFailure.configuration(error.description)
      }
    }
    unlink(state + "/development.new")
  }

  private func make(_ name: String) throws {
    guard mkdirat(descriptor, name, 0o700) == 0 || errno == EEXIST else {
      throw Self.cannot("make the folder", path + "/" + name)
    }
  }

  /// Removes a throw-away folder with all that is in it, although a bridge may still write its state.
  func end() {
    guard isThrowaway else { return }
    AbandonedFiles.removeFolder(path)
  }

  static func cannot(_ action: String, _ path: String) -> CommandFailure {
    .configuration("cannot \(action) \(path): \(SystemError.current.text)")
  }
}

/// Where this user's running development tenants are found: a file for each, with the secret of the run, and the
/// throw-away folders.
struct RunsFolder {
  let path: String

  /// In $XDG_RUNTIME_DIR if that belongs to the user alone, or else in /tmp. Throws if another user could change it.
  init(makes: Bool) throws {
    path = DevelopmentRuns.path
    if makes, mkdir(path, 0o700) != 0, errno != EEXIST { throw Self.unsuitable(path, SystemError.current.text) }
    let descriptor = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
    guard descriptor >= 0 else {
      guard errno == ENOENT, !makes else { throw Self.unsuitable(path, SystemError.current.text) }
      return
    }
    defer { close(descriptor) }
    try Self.checkPrivate(descriptor, path)
  }

  private static func unsuitable(_ path: String, _ reason: String) -> CommandFailure {
    .configuration(
      "the folder \(path), in which running development tenants are found, cannot be used: \(reason). Remove it if it "
        + "exists, or set XDG_RUNTIME_DIR to a folder that is yours alone.")
  }

  static func checkPrivate(_ descriptor: Int32, _ path: String) throws {
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { throw DevelopmentFolder.cannot("read the folder", path) }
    guard status.st_uid == geteuid() else {
      throw CommandFailure.configuration(
        "the folder \(path) belongs to another user (id \(status.st_uid)). Name a folder of your own, or set "
          + "XDG_RUNTIME_DIR to one.")
    }
    guard status.st_mode & 0o077 == 0 else {
      throw CommandFailure.configuration("other users can use the folder \(path). Run: chmod 700 '\(path)'")
    }
  }
}

/// The file of a running development tenant, from which this user's programs learn the secret of the run. Only that
/// user can read it, and the process locks it as long as it runs.
final class RunFile: Sendable {
  struct Content: Sendable {
    /// Where the tenant is, such as `https://127.0.0.1:8480`.
    let service: String
    let tenantId: String
    let secret: String
    /// What to trust; `nil` for plain http.
    let certificate: String?
  }

  let path: String
  private let descriptor: Int32

  init(_ content: Content) throws {
    let name = content.service.split(separator: "/").last.map(String.init) ?? "tenant"
    path = try RunsFolder(makes: true).path + "/\(name).json"
    // Of a process that was killed: nobody else listens at this address.
    unlink(path)
    descriptor = open(path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw DevelopmentFolder.cannot("make", path) }
    // Who looks for running tenants holds the lock for an instant.
    var tries = 0
    _ = Flock.take(descriptor) {
      tries += 1
      usleep(1000)
      return tries < 1000
    }
    let object: JSONObject = [
      "development": true, "service": .string(content.service), "tenantId": .string(content.tenantId),
      "secret": .string(content.secret), "certificate": content.certificate.map(JSONValue.string) ?? .null,
    ]
    do throws(SystemError) { try WholeBytes.write(Array(object.jsonText.utf8), to: descriptor) } catch {
      throw CommandFailure(exitCode: EX_IOERR, message: "cannot write \(path): \(error.text)")
    }
  }

  func end() { unlink(path) }

  deinit { close(descriptor) }

  /// All development tenants of this user that run.
  static func running() throws -> [Content] {
    let folder = try RunsFolder(makes: false).path
    return ((try? Folder.names(folder)) ?? []).sorted().compactMap { name in
      guard name.hasSuffix(".json") else { return nil }
      let descriptor = open(folder + "/" + name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
      guard descriptor >= 0 else { return nil }
      defer { close(descriptor) }
      guard Flock.take(descriptor, for: .reading) == .held, let text = try? FileContents.read(descriptor),
        let value = try? JSONValue(parsing: text), let service = value["service"]?.stringValue,
        let tenantId = value["tenantId"]?.stringValue, let secret = value["secret"]?.stringValue
      else { return nil }
      return Content(
        service: service, tenantId: tenantId, secret: secret, certificate: value["certificate"]?.stringValue)
    }
  }
}
