import Glibc

/// Takes the place of a file, or makes one: whole or not at all, and durable when this returns. The mode stays, that of
/// a new file is the mode of `model`. Where the path is a symbolic link, the file behind it is replaced.
package func replaceFile(
  _ path: String, with bytes: [UInt8], modeOf model: String
) throws(ConfiguratorError) {
  let target = resolved(path)
  var status = stat()
  let isThere = stat(target, &status) == 0
  guard !isThere || status.st_mode & S_IFMT == S_IFREG else {
    throw ConfiguratorError(.unwritable("it is no file"), path: path)
  }
  // A rename would pass by the mode of the file that it replaces.
  guard !isThere || access(target, W_OK) == 0, isThere || stat(model, &status) == 0 else {
    throw ConfiguratorError(.unwritable(systemError()), path: path)
  }
  guard let new = NewFile(beside: target) else { throw ConfiguratorError(.unwritable(systemError()), path: path) }
  let isDone = new.write(bytes, mode: status.st_mode & 0o7777) && new.move(to: target)
  guard isDone else { throw ConfiguratorError(.unwritable(systemError()), path: path) }
}

private func resolved(_ path: String) -> String {
  guard let real = realpath(path, nil) else { return path }
  defer { free(real) }
  return String(cString: real)
}

/// A file on the way to its place. It has no name until it is whole, where the file system can do that: killed before,
/// it leaves nothing.
private final class NewFile {
  private let folder: String
  private let name: String
  private let descriptor: Int32
  private var hasName: Bool

  init?(beside target: String) {
    folder = target.lastIndex(of: "/").map { String(target[...$0]) } ?? "./"
    name = folder + ".mambridge.\(getpid())"
    let nameless = open(folder, O_WRONLY | __O_TMPFILE | O_CLOEXEC, 0o600)
    hasName = nameless < 0 && (errno == EOPNOTSUPP || errno == EISDIR)
    descriptor = hasName ? open(name, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0o600) : nameless
    guard descriptor >= 0 else { return nil }
  }

  deinit {
    let error = errno
    if descriptor >= 0 { close(descriptor) }
    if hasName { unlink(name) }
    errno = error
  }

  func write(_ bytes: [UInt8], mode: mode_t) -> Bool {
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
      if count < 0 && errno == EINTR { continue }
      guard count > 0 else { return false }
      rest = rest.dropFirst(count)
    }
    return fchmod(descriptor, mode) == 0 && fsync(descriptor) == 0
  }

  func move(to target: String) -> Bool {
    if !hasName {
      // What a process of the same number left that was killed between link and rename.
      unlink(name)
      hasName = linkat(AT_FDCWD, "/proc/self/fd/\(descriptor)", AT_FDCWD, name, AT_SYMLINK_FOLLOW) == 0
    }
    guard hasName, rename(name, target) == 0 else { return false }
    hasName = false
    let parent = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    if parent >= 0 {
      fsync(parent)
      close(parent)
    }
    return true
  }
}
