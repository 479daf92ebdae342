import Glibc
import Support

/// A tenant in a folder: tenant.json, policies/ and configurations/.
package struct FolderTenant: Tenant {
  package let path: String

  package init(path: String) {
    self.path = path
  }

  package func readAvailable() throws(TenantError) -> TenantSnapshot {
    try readAvailable(FolderFiles(path: path))
  }

  /// Reads the files of the folder through `files`.
  func readAvailable(_ files: some TenantFolder) throws(TenantError) -> TenantSnapshot {
    var status = stat()
    guard stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFDIR else {
      throw .missing(
        path: path, hint: "Create the folder with a tenant.json in it, or name another folder with --tenant.")
    }
    return try files.readAvailable()
  }
}

/// Files in a folder. Links are followed; nothing is written.
struct FolderFiles: TenantFolder {
  static let largestFile = 64 << 20
  static let mostFiles = 20_000

  let path: String

  func list(_ folder: String) throws(TenantError) -> [String] {
    guard let handle = opendir(path + "/" + folder) else {
      if errno == ENOENT, !isDanglingLink(folder) { return [] }
      throw .unparsable(file: folder, reason: "cannot be listed: \(SystemError.current.text)")
    }
    defer { closedir(handle) }
    var names: [String] = []
    while let entry = try next(in: handle, folder) {
      let name = withUnsafeBytes(of: entry.pointee.d_name) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
      guard name.lowercased().hasSuffix(".json"), !name.hasPrefix(".") else { continue }
      names.append(folder + "/" + name)
      guard names.count <= Self.mostFiles else {
        throw .unparsable(file: folder, reason: "contains more than \(Self.mostFiles) JSON files")
      }
    }
    return names.sorted()
  }

  func read(_ name: String) throws(TenantError) -> [UInt8]? {
    let file = open(fullPath(of: name), O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC)
    guard file >= 0 else {
      let error = SystemError.current
      if error.number == ENOENT, !isDanglingLink(name) { return nil }
      let isDangling = error.number == ENOENT
      throw .unparsable(
        file: name, reason: isDangling ? "is a link to a missing file" : "cannot be opened: \(error.text)")
    }
    defer { close(file) }
    var status = stat()
    guard fstat(file, &status) == 0 else {
      throw .unparsable(file: name, reason: "cannot be read: \(SystemError.current.text)")
    }
    guard status.st_mode & S_IFMT == S_IFREG else {
      throw .unparsable(file: name, reason: "is \(Self.kind(status.st_mode)), not a regular file")
    }
    return try read(file, name)
  }

  func has(_ folder: String) -> Bool {
    var status = stat()
    return stat(fullPath(of: folder), &status) == 0
  }

  func names() -> [String] { names(below: "", level: 0) }

  /// The names relative to the tenant's folder.
  private func names(below folder: String, level: Int) -> [String] {
    guard level < TenantFileLimits.deepest, let handle = opendir(path + "/" + folder) else { return [] }
    defer { closedir(handle) }
    var names: [String] = []
    while let entry = readdir(handle) {
      let name = withUnsafeBytes(of: entry.pointee.d_name) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
      guard !name.hasPrefix("."), names.count < Self.mostFiles else { continue }
      let inner = folder.isEmpty ? name : folder + "/" + name
      var status = stat()
      guard lstat(path + "/" + inner, &status) == 0 else { continue }
      names += status.st_mode & S_IFMT == S_IFDIR ? self.names(below: inner, level: level + 1) : [inner]
    }
    return names.sorted()
  }

  private func fullPath(of name: String) -> String { Self.path(of: name, in: path) }

  static func path(of name: String, in folder: String) -> String { name.hasPrefix("/") ? name : folder + "/" + name }

  /// Whether a name that leads to no file is itself a link.
  private func isDanglingLink(_ name: String) -> Bool {
    var status = stat()
    return lstat(fullPath(of: name), &status) == 0
  }

  /// Throws on an error, because an incomplete list would hide policies.
  private func next(in handle: OpaquePointer, _ folder: String) throws(TenantError) -> UnsafeMutablePointer<dirent>? {
    errno = 0
    if let entry = readdir(handle) { return entry }
    guard errno == 0 else {
      throw .unparsable(file: folder, reason: "cannot be listed: \(SystemError.current.text)")
    }
    return nil
  }

  private static func kind(_ mode: mode_t) -> String {
    switch mode & S_IFMT {
    case S_IFDIR: "a folder"
    case S_IFIFO: "a named pipe"
    case S_IFCHR, S_IFBLK: "a device"
    default: "a special file"
    }
  }

  private func read(_ file: CInt, _ name: String) throws(TenantError) -> [UInt8] {
    do throws(SystemError) {
      return try FileContents.read(file, limit: Self.largestFile)
    } catch {
      let isLarge = error.number == EFBIG
      throw .unparsable(
        file: name, reason: isLarge ? "is larger than \(Self.largestFile >> 20) MiB" : "cannot be read: \(error.text)")
    }
  }
}
