import Glibc
import Support

/// A folder that is gone when its owner is, at the latest at the end of the process.
package final class TemporaryFolder: Sendable {
  package let path: String

  private let isMade: Bool

  /// The folders that are there. Some have an owner that lives as long as the process.
  private static let living: Lock<Set<String>> = {
    atexit { TemporaryFolder.living.withLock { for path in $0 { removeTree(path) } } }
    return Lock([])
  }()

  /// `inMemory` for a test that writes much, where nothing need outlive the machine: no write waits for a disk.
  package init(inMemory: Bool = false) {
    let root = inMemory && access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp"
    var template = Array("\(root)/mambridge-test-XXXXXX".utf8CString)
    let made = mkdtemp(&template).map { String(cString: $0) }
    path = made ?? root
    isMade = made != nil
    if let made { Self.living.withLock { _ = $0.insert(made) } }
  }

  deinit {
    guard isMade else { return }
    removeTree(path)
    Self.living.withLock { _ = $0.remove(path) }
  }

  package func file(_ name: String) -> String { path + "/" + name }

  /// Writes a file, folders included.
  @discardableResult
  package func write(_ text: String, to name: String) -> String {
    let target = file(name)
    var folder = path
    for part in name.split(separator: "/").dropLast() {
      folder += "/" + part
      mkdir(folder, 0o700)
    }
    if let handle = fopen(target, "wb") {
      fwrite(text, 1, text.utf8.count, handle)
      fclose(handle)
    }
    return target
  }
}

/// Removes a folder and all below it, without following links.
private func removeTree(_ path: String) {
  if let folder = opendir(path) {
    while let entry = readdir(folder) {
      let name = withUnsafeBytes(of: entry.pointee.d_name) { bytes in
        String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
      }
      if name == "." || name == ".." { continue }
      let child = path + "/" + name
      if unlink(child) != 0 { removeTree(child) }
    }
    closedir(folder)
  }
  rmdir(path)
}
