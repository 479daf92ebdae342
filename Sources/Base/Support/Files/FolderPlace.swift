import Glibc

/// Where a folder is: its name, and the open folder above it, whose lock all take that replace or change the folder. Closed
/// when released, which ends the lock.
package final class FolderPlace {
  /// Of the folder above.
  package let parent: Int32
  package let name: String

  /// A symbolic link counts as the folder that it leads to. EINVAL for a path that ends with no name.
  package init(_ path: String) throws(SystemError) {
    let real = realpath(path, nil).map { resolved in
      defer { free(resolved) }
      return String(cString: resolved)
    }
    let whole = real ?? path
    let parts = whole.split(separator: "/", omittingEmptySubsequences: true)
    guard let last = parts.last, last != "..", last != "." else { throw SystemError(number: EINVAL) }
    name = String(last)
    let above = parts.dropLast().joined(separator: "/")
    let folder = whole.hasPrefix("/") ? "/" + above : above.isEmpty ? "." : above
    parent = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard parent >= 0 else { throw .current }
  }

  deinit { if parent >= 0 { close(parent) } }
}
