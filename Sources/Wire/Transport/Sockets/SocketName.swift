import Glibc

/// The name to which a socket is bound, as the system reports it.
enum SocketName: Equatable {
  /// The host as written in an address, with brackets around IPv6.
  case port(host: String, Int)
  case path(String)
  /// A unix socket with an abstract name or without a name.
  case unnamed

  init(of descriptor: Int32) throws(PassedSockets.Failure) {
    var storage = sockaddr_storage()
    var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
    let failed = withUnsafeMutablePointer(to: &storage) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(descriptor, $0, &length) != 0 }
    }
    guard !failed else { throw .notASocket(descriptor) }
    let bytes = withUnsafeBytes(of: storage) { Array($0.prefix(Int(length))) }
    switch Int32(storage.ss_family) {
    case AF_UNIX: self = Self.unix(bytes.dropFirst(MemoryLayout<sa_family_t>.size))
    case AF_INET: self = .port(host: Self.text(AF_INET, bytes[4..<8]), Self.port(bytes))
    case AF_INET6: self = .port(host: "[\(Self.text(AF_INET6, bytes[8..<24]))]", Self.port(bytes))
    default: throw .unknownFamily(descriptor)
    }
  }

  private static func unix(_ path: ArraySlice<UInt8>) -> SocketName {
    let path = path.prefix { $0 != 0 }
    return path.isEmpty ? .unnamed : .path(String(decoding: path, as: UTF8.self))
  }

  /// The port is in the same place in both address families.
  private static func port(_ bytes: [UInt8]) -> Int { Int(bytes[2]) << 8 | Int(bytes[3]) }

  private static func text(_ family: Int32, _ address: ArraySlice<UInt8>) -> String {
    var text = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
    _ = address.withUnsafeBytes { inet_ntop(family, $0.baseAddress, &text, socklen_t(text.count)) }
    return String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }
}
