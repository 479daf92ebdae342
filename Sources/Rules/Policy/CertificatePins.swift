import Glibc
import JSON
import Model

/// The certificate pins of an administrator: SHA-256 of the public key info in DER, by host.
package struct CertificatePins: Hashable, Sendable {
  package static let none = CertificatePins(digests: [:])

  /// The length of a SHA-256 digest in bytes.
  private static let digestLength = 32

  /// Hosts without pins are left out.
  private let digests: [HostName: Set<[UInt8]>]

  private init(digests: [HostName: Set<[UInt8]>]) {
    self.digests = digests.filter { !$0.value.isEmpty }
  }

  /// From lists of base64 texts by host. If a host has two spellings, their pins are combined.
  package init(_ pins: [String: [String]]) throws(CertificatePinFault) {
    var digests: [HostName: Set<[UInt8]>] = [:]
    for (name, texts) in pins {
      guard let host = HostName(name) else { throw CertificatePinFault(host: name, index: nil) }
      for (index, text) in texts.enumerated() {
        guard let digest = Base64Bytes(text: text)?.bytes, digest.count == Self.digestLength else {
          throw CertificatePinFault(host: name, index: index)
        }
        digests[host, default: []].insert(digest)
      }
    }
    self.init(digests: digests)
  }

  package var isEmpty: Bool { digests.isEmpty }

  /// Empty for a host without pins.
  package subscript(host: HostName) -> Set<[UInt8]> { digests[host] ?? [] }
}

/// A host name or a pin that is wrong.
package struct CertificatePinFault: Error {
  let host: String
  /// The index of the pin; nil if the host name is wrong.
  let index: Int?

  /// A sentence such as `login.example/0 must be …`.
  package var description: String {
    guard let index else { return "\(host) must be a host name or an IP address, without a wildcard, port or scheme" }
    return "\(host)/\(index) must be the SHA-256 digest of a public key in base64 (44 characters)"
  }
}

extension CertificatePins {
  /// JSON text for the store. Equal pins have equal texts.
  package var encoded: String {
    let hosts = digests.sorted { $0.key < $1.key }.map { host, digests -> (String, JSONValue) in
      (host.text, .array(digests.map { Base64Bytes($0).text }.sorted().map(JSONValue.string)))
    }
    return JSONValue.object(JSONObject(hosts)).jsonText
  }

  package init(stored text: String) throws(StoredTextError) {
    let value: JSONValue
    do { value = try JSONValue(parsing: text) } catch { throw StoredTextError(reason: error.description) }
    guard let members = value.objectValue?.members else { throw StoredTextError(reason: "not certificate pins") }
    do throws(CertificatePinFault) {
      try self.init(Dictionary(members.map { ($0.name, $0.value.strings ?? []) }) { first, _ in first })
    } catch {
      throw StoredTextError(reason: error.description)
    }
  }
}

/// A server's name or IP address in a normal form for comparison.
package struct HostName: Hashable, Comparable, Sendable {
  /// In lower case, without a final dot. An IPv6 address is in its shortest form, without brackets.
  package let text: String

  /// Nil if the text is neither a name nor an address, such as a name with a port, wildcard or scheme.
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
