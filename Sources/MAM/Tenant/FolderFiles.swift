import Glibc

/// Files in a folder, followed through links and never written.
struct FolderFiles: TenantFiles {
  static let largestFile = 64 << 20
  static let mostFiles = 20_000

  let path: String

  func list(_ folder: String) throws(TenantError) -> [String] {
    guard let handle = opendir(path + "/" + folder) else {
      if errno == ENOENT { return [] }
      throw .unparsable(file: folder, reason: "cannot be listed: \(errorText())")
    }
    defer { closedir(handle) }
    var names: [String] = []
    while let entry = readdir(handle) {
      let name = withUnsafeBytes(of: entry.pointee.d_name) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
      guard name.lowercased().hasSuffix(".json"), !name.hasPrefix(".") else { continue }
      names.append(folder + "/" + name)
      guard names.count <= Self.mostFiles else {
        throw .unparsable(file: folder, reason: "holds more than \(Self.mostFiles) files")
      }
    }
    return names.sorted()
  }

  func read(_ name: String) throws(TenantError) -> TenantFileContent {
    let file = open(name.hasPrefix("/") ? name : path + "/" + name, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
    guard file >= 0 else {
      if errno == ENOENT { return .absent }
      throw .unparsable(file: name, reason: "cannot be read: \(errorText())")
    }
    defer { close(file) }
    var status = stat()
    guard fstat(file, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return .notAFile }
    return .bytes(try read(file, name))
  }

  private func read(_ file: CInt, _ name: String) throws(TenantError) -> [UInt8] {
    var bytes: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 1 << 16)
    while true {
      let count = Glibc.read(file, &chunk, chunk.count)
      if count < 0, errno == EINTR { continue }
      guard count >= 0 else { throw .unparsable(file: name, reason: "cannot be read: \(errorText())") }
      guard count > 0 else { return bytes }
      bytes += chunk[..<count]
      guard bytes.count <= Self.largestFile else {
        throw .unparsable(file: name, reason: "is larger than \(Self.largestFile >> 20) MiB")
      }
    }
  }

  private func errorText() -> String { String(cString: strerror(errno)) }
}
