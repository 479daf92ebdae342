import JSON

/// Certificates as a server sends them, in DER: as many and as large as any server's are, and no more.
package struct CertificateList: FieldValue, Hashable {
  package static let greatestCount = 32
  package static let greatestSize = 64 << 10

  package let certificates: [[UInt8]]

  package init(_ certificates: [[UInt8]]) {
    self.certificates = certificates
  }

  package static func decode(_ node: JSONNode) throws(JSONDecodingError) -> CertificateList {
    if let count = node.elementCount, count > greatestCount {
      throw JSONDecodingError(.invalid("must have at most \(greatestCount) certificates"))
    }
    let certificates = try [Base64Bytes].decode(node).map(\.bytes)
    if let index = certificates.firstIndex(where: { $0.count > greatestSize }) {
      throw JSONDecodingError(.invalid("must have at most \(greatestSize) bytes")).inside(String(index))
    }
    return CertificateList(certificates)
  }

  package func encode(to writer: inout JSONWriter) { certificates.map(Base64Bytes.init).encode(to: &writer) }

  package static func schema(in components: inout SchemaComponents) -> JSONValue {
    ["type": "array", "items": Base64Bytes.schema(in: &components), "maxItems": .integer(Int64(greatestCount))]
  }
}
