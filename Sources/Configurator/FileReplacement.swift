import Glibc
import Support

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
  do throws(SystemError) {
    // A rename would pass by the mode of the file that it replaces.
    guard !isThere || access(target, W_OK) == 0, isThere || stat(model, &status) == 0 else { throw .current }
    try write(bytes, to: target, mode: status.st_mode & 0o7777)
  } catch {
    throw ConfiguratorError(.unwritable(error.text), path: path)
  }
}

private func resolved(_ path: String) -> String {
  guard let real = realpath(path, nil) else { return path }
  defer { free(real) }
  return String(cString: real)
}

private func write(_ bytes: [UInt8], to target: String, mode: mode_t) throws(SystemError) {
  let slash = target.lastIndex(of: "/")
  let folder = open(slash.map { String(target[...$0]) } ?? ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
  guard folder >= 0 else { throw .current }
  defer { close(folder) }
  let draft = ".mambridge-\(String(UInt64.random(in: 0...UInt64.max), radix: 16)).tmp"
  let file = try NewFile(in: folder, draft: draft)
  try file.append(bytes)
  try file.setMode(mode)
  try file.sync()
  try file.replace(slash.map { String(target[target.index(after: $0)...]) } ?? target)
}
