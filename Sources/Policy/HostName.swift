import Glibc

/// A server's name or address, in the one form in which it is compared.
package struct HostName: Hashable, Comparable, Sendable {
  /// In lower case, without a dot at the end; an IPv6 address in its shortest form, without brackets.
  package let text: String

  /// Nil for what is neither a name nor an address, such as one with a port, a wildcard or a scheme.
  package init?(_ text: String) {
    if let address = Self.address(text) {
      self.text = address
      return
    }
    let name = (text.hasSuffix(".") ? String(text.dropLast()) : text).lowercasedASCII
    let labels = name.split(separator: ".", omittingEmptySubsequences: false)
    guard name.utf8.count <= 253, labels.allSatisfy(Self.isLabel) else { return nil }
    self.text = name
  }

  package static func < (left: HostName, right: HostName) -> Bool { left.text < right.text }

  private static func isLabel(_ label: Substring) -> Bool {
    (1...63).contains(label.utf8.count)
      && label.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "-" || $0 == "_") }
  }

  private static func address(_ text: String) -> String? {
    let isBracketed = text.hasPrefix("[") && text.hasSuffix("]")
    var address = in6_addr()
    guard inet_pton(AF_INET6, isBracketed ? String(text.dropFirst().dropLast()) : text, &address) == 1 else {
      return nil
    }
    var buffer = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
    guard inet_ntop(AF_INET6, &address, &buffer, socklen_t(buffer.count)) != nil else { return nil }
    return String(decoding: buffer.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
  }
}
