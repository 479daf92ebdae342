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

func systemError() -> String { String(cString: strerror(errno)) }
