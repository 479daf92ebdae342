import Glibc

/// How many files, sockets and folders this process has open. Other suites may open a few meanwhile.
package func openDescriptorCount() -> Int { filesOf(folder: "/proc/self/fd").count }

/// The paths of what a folder holds, sorted; empty when there is no such folder.
package func filesOf(folder: String) -> [String] {
  guard let stream = opendir(folder) else { return [] }
  defer { closedir(stream) }
  var paths: [String] = []
  while let entry = readdir(stream) {
    let name = withUnsafeBytes(of: entry.pointee.d_name) { bytes in
      String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
    }
    if !name.hasPrefix(".") { paths.append(folder + "/" + name) }
  }
  return paths.sorted()
}
