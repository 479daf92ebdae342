import Glibc

private let sizeLimit = 16 << 20

func contents(ofFile path: String) throws(ConfiguratorError) -> [UInt8] {
  let descriptor = open(path, O_RDONLY | O_CLOEXEC)
  guard descriptor >= 0 else { throw ConfiguratorError(.unreadable(systemError()), path: path) }
  defer { close(descriptor) }
  var contents: [UInt8] = []
  var chunk = [UInt8](repeating: 0, count: 1 << 16)
  while true {
    let count = read(descriptor, &chunk, chunk.count)
    if count == 0 { return contents }
    guard count > 0 else { throw ConfiguratorError(.unreadable(systemError()), path: path) }
    contents += chunk[..<count]
    guard contents.count <= sizeLimit else { throw ConfiguratorError(.unreadable("more than 16 MiB"), path: path) }
  }
}

/// Takes the place of a file, or makes one: whole or not at all, and durable when this returns. The mode stays, that of
/// a new file is the mode of `model`. Where the path is a symbolic link, the file behind it is replaced.
package func replaceFile(
  _ path: String, with bytes: [UInt8], modeOf model: String
) throws(ConfiguratorError) {
  let target = resolved(path)
  let folder = target.lastIndex(of: "/").map { String(target[...$0]) } ?? "./"
  var status = stat()
  let isThere = stat(target, &status) == 0
  guard !isThere || status.st_mode & S_IFMT == S_IFREG else {
    throw ConfiguratorError(.unwritable("it is no file"), path: path)
  }
  // A rename would pass by the mode of the file that it replaces.
  guard !isThere || access(target, W_OK) == 0, isThere || stat(model, &status) == 0 else {
    throw ConfiguratorError(.unwritable(systemError()), path: path)
  }
  var name = Array((folder + ".mambridge.XXXXXX").utf8CString)
  let descriptor = mkstemp(&name)
  guard descriptor >= 0 else { throw ConfiguratorError(.unwritable(systemError()), path: path) }
  defer { close(descriptor) }
  let isDone =
    fchmod(descriptor, status.st_mode & 0o7777) == 0 && writeWhole(descriptor, bytes) && fsync(descriptor) == 0
    && rename(name, target) == 0
  guard isDone else {
    let why = systemError()
    unlink(name)
    throw ConfiguratorError(.unwritable(why), path: path)
  }
  sync(folder)
}

private func writeWhole(_ descriptor: Int32, _ bytes: [UInt8]) -> Bool {
  var rest = bytes[...]
  while !rest.isEmpty {
    let count = rest.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
    if count < 0 && errno == EINTR { continue }
    guard count > 0 else { return false }
    rest = rest.dropFirst(count)
  }
  return true
}

private func sync(_ folder: String) {
  let descriptor = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
  guard descriptor >= 0 else { return }
  fsync(descriptor)
  close(descriptor)
}

private func resolved(_ path: String) -> String {
  guard let real = realpath(path, nil) else { return path }
  defer { free(real) }
  return String(cString: real)
}

private func systemError() -> String { String(cString: strerror(errno)) }
