import Glibc

/// By what a folder is known as the state of some mambridge, whoever's it is: to encrypt it would lock its owner out of
/// all that it protects.
enum StateMarker {
  static let name = ".mambridge-state"
  private static let text = """
    This folder is the state of mambridge: accounts, policies and keys. Keep documents elsewhere.

    """

  /// Marks a state folder that is not marked yet. Best effort: without it a folder is known by its key.
  static func write(in root: String) {
    let path = root + "/" + name
    guard access(path, F_OK) != 0 else { return }
    let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { return }
    defer { close(descriptor) }
    _ = Glibc.write(descriptor, text, text.utf8.count)
  }

  /// Whether the folder has the marker, or a store key with our magic, as folders of 0.1.0 do.
  static func isIn(_ folder: DiskFile, _ path: String = ".") -> Bool {
    if faccessat(folder.descriptor, path + "/" + name, F_OK, AT_SYMLINK_NOFOLLOW) == 0 { return true }
    let flags = O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC
    let key = openat(folder.descriptor, path + "/keys/store.key", flags)
    // Who may not look may not change it either.
    guard key >= 0 else { return false }
    defer { close(key) }
    var start = [UInt8](repeating: 0, count: KeyPage.magic.count)
    return pread(key, &start, start.count, 0) == start.count && start == KeyPage.magic
  }
}
