import Glibc
import Support

/// Files in a folder, followed through links and never written.
struct FolderFiles: TenantFiles {
  static let largestFile = 64 << 20
  static let mostFiles = 20_000

  let path: String

  func list(_ folder: String) throws(TenantError) -> [String] {
    guard let handle = opendir(path + "/" + folder) else {
      if errno == ENOENT { return [] }
      throw .unparsable(file: folder, reason: "cannot be listed: \(SystemError.current.text)")
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
      throw .unparsable(file: name, reason: "cannot be read: \(SystemError.current.text)")
    }
    defer { close(file) }
    var status = stat()
    guard fstat(file, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return .notAFile }
    return .bytes(try read(file, name))
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
