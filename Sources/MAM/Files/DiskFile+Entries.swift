import Glibc
import Model

extension DiskFile {
  /// The names in this folder in the order of their bytes, without `.` and `..`. A name that is not UTF-8 comes with
  /// U+FFFD for what is none, and leads to no file.
  func entries() throws(MAMError) -> [String] {
    // A stream of its own: it moves the offset of its description, and closes it.
    let copy = openat(descriptor, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard copy >= 0, let stream = fdopendir(copy) else {
      let number = errno
      close(copy)
      throw .file(path, number)
    }
    defer { closedir(stream) }
    var names: [String] = []
    while let entry = readdir(stream) {
      let name = withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
        String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
      }
      if name != "." && name != ".." { names.append(name) }
    }
    return names.sorted()
  }
}
