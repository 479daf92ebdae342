import JSON
import Model

/// The keys by which an administrator wants servers to be known: SHA-256 of the public key info in DER, by host.
package struct CertificatePins: Hashable, Sendable {
  package static let none = CertificatePins(digests: [:])

  /// Of SHA-256, in bytes.
  private static let digestLength = 32

  /// Hosts without any are left out.
  private let digests: [HostName: Set<[UInt8]>]

  private init(digests: [HostName: Set<[UInt8]>]) {
    self.digests = digests.filter { !$0.value.isEmpty }
  }

  /// From base64 by host. The same host under two spellings has the pins of both.
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

/// Which host, or which of its pins, is wrong.
package struct CertificatePinFault: Error {
  let host: String
  /// Nil where it is the host itself.
  let index: Int?

  /// Such as `login.example/0 must be …`.
  package var description: String {
    guard let index else { return "\(host) must be a host name or an address, without wildcard, port and scheme" }
    return "\(host)/\(index) must be the SHA-256 of a public key in base64, which has 44 characters"
  }
}

extension CertificatePins {
  /// JSON text for the store, the same for equal pins.
  package var encoded: String {
    let hosts = digests.sorted { $0.key < $1.key }.map { host, digests -> (String, JSONValue) in
      (host.text, .array(digests.map { Base64Bytes($0).text }.sorted().map(JSONValue.string)))
    }
    return JSONValue.object(JSONObject(hosts)).jsonText
  }

  package init(stored text: String) throws(StoredTextError) {
    let value: JSONValue
    do { value = try JSONValue(parsing: text) } catch { throw StoredTextError(reason: error.description) }
    guard let members = value.objectValue?.members else { throw StoredTextError(reason: "no certificate pins") }
    do throws(CertificatePinFault) {
      try self.init(Dictionary(members.map { ($0.name, $0.value.strings ?? []) }) { first, _ in first })
    } catch {
      throw StoredTextError(reason: error.description)
    }
  }
}
