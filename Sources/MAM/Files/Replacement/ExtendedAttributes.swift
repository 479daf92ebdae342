import CGlibc
import Glibc
import Support

/// The extended attributes of an open file; ACLs are among them.
struct ExtendedAttributes {
  let descriptor: Int32

  /// Throws the system's number.
  func names() throws(SystemError) -> [String] {
    let bytes = try read { flistxattr(descriptor, $0, $1) }
    return bytes?.split(separator: 0).map { String(decoding: $0, as: UTF8.self) } ?? []
  }

  /// Nil without one of this name, and where the file system has none at all.
  func value(_ name: String) throws(SystemError) -> [UInt8]? {
    try read { fgetxattr(descriptor, name, $0, $1) }
  }

  func set(_ name: String, _ value: [UInt8]) throws(SystemError) {
    guard fsetxattr(descriptor, name, value, value.count, 0) == 0 else { throw .current }
  }

  /// Fine without one.
  func remove(_ name: String) throws(SystemError) {
    guard fremovexattr(descriptor, name) == 0 || Self.isNone(errno) else { throw .current }
  }

  /// Asks for the size first; again when it has grown meanwhile.
  private func read(_ body: (UnsafeMutablePointer<CChar>?, Int) -> Int) throws(SystemError) -> [UInt8]? {
    while true {
      let size = body(nil, 0)
      var bytes = [CChar](repeating: 0, count: max(size, 0))
      let count = size > 0 ? bytes.withUnsafeMutableBufferPointer { body($0.baseAddress, $0.count) } : size
      if count >= 0 { return bytes.prefix(count).map { UInt8(bitPattern: $0) } }
      if errno == ERANGE { continue }
      guard Self.isNone(errno) else { throw .current }
      return nil
    }
  }

  private static func isNone(_ number: Int32) -> Bool { number == ENODATA || number == EOPNOTSUPP }
}
