import Model
import Support

/// The parts of an address of the form scheme://host/path, as bytes, because a combined character may hide a slash.
struct WebAddress {
  /// In lower case.
  let scheme: [UInt8]
  /// In lower case, without user and port.
  let host: [UInt8]
  /// Including the colon; empty if there is none.
  let port: [UInt8]
  /// Including the query and everything after it; empty if there is none.
  let path: [UInt8]

  /// Nil for an address of another form.
  init?(_ text: String) {
    let bytes = Array(text.utf8)
    guard let colon = bytes.firstIndex(of: UInt8(ascii: ":")), bytes[colon...].starts(with: "://".utf8) else {
      return nil
    }
    self.init(scheme: bytes[..<colon], rest: bytes[(colon + 3)...])
  }

  /// A backslash counts as a slash, as in browsers.
  init(scheme: ArraySlice<UInt8>, rest: ArraySlice<UInt8>) {
    let end = rest.firstIndex { "/\\?#".utf8.contains($0) } ?? rest.endIndex
    let authority = rest[..<end]
    let server = authority.lastIndex(of: UInt8(ascii: "@")).map { authority[($0 + 1)...] } ?? authority
    // The colons of an IPv6 address are inside its brackets.
    let colon = server.lastIndex { ":]".utf8.contains($0) }.flatMap { server[$0] == UInt8(ascii: "]") ? nil : $0 }
    self.scheme = scheme.lowercased
    host = server[..<(colon ?? server.endIndex)].lowercased
    port = colon.map { Array(server[$0...]) } ?? []
    path = Array(rest[end...])
  }
}

/// A pattern for links, in which * stands for any text within the host or within the path.
///
/// The parts are compared one by one, so that no * in the host reaches into the path. A pattern without a scheme matches
/// http and https, without a port any port, without a path any path.
struct LinkPattern {
  private let parts: WebAddress

  init(_ text: String) {
    parts = WebAddress(text) ?? WebAddress(scheme: [], rest: Array(text.utf8)[...])
  }

  func matches(_ link: WebAddress) -> Bool {
    guard parts.scheme.isEmpty ? link.isWeb : parts.scheme == link.scheme else { return false }
    guard parts.port.isEmpty || parts.port == link.port, link.host.fits(parts.host) else { return false }
    return parts.path.isEmpty || (link.path.isEmpty ? Array("/".utf8) : link.path).fits(parts.path)
  }
}

extension WebAddress {
  fileprivate var isWeb: Bool { scheme == Array("http".utf8) || scheme == Array("https".utf8) }
}

extension [UInt8] {
  /// The work is at most the product of both lengths, because only the last * grows at a mismatch.
  fileprivate func fits(_ pattern: [UInt8]) -> Bool {
    var (index, position) = (0, 0)
    var star: (pattern: Int, text: Int)?
    while index < count {
      if position < pattern.count, pattern[position] == UInt8(ascii: "*") {
        star = (position, index)
        position += 1
      } else if position < pattern.count, pattern[position] == self[index] {
        index += 1
        position += 1
      } else if let last = star {
        star = (last.pattern, last.text + 1)
        index = last.text + 1
        position = last.pattern + 1
      } else {
        return false
      }
    }
    return pattern[position...].allSatisfy { $0 == UInt8(ascii: "*") }
  }
}

extension ArraySlice<UInt8> {
  fileprivate var lowercased: [UInt8] { map { $0.lowercasedLetter } }
}
