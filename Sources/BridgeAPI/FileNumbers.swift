import JSON

/// Names an open file on its connection; a number is never given twice.
package struct FileHandleNumber: BoundedInteger {
  package static let range: ClosedRange<Int64> = 1...(1 << 53)
  package let value: Int64
  package init(known value: Int64) { self.value = value }
}

/// A place in a plain text, or its length, in bytes.
package struct FileOffset: BoundedInteger {
  package static let range: ClosedRange<Int64> = 0...(1 << 53)
  package let value: Int64
  package init(known value: Int64) { self.value = value }
}

/// How many bytes one call reads or writes.
package struct FileByteCount: BoundedInteger {
  package static let range: ClosedRange<Int64> = 0...(16 << 20)
  package let value: Int64
  package init(known value: Int64) { self.value = value }
}

/// Permission bits as chmod(2) has them; 0600 is 384.
package struct FileMode: BoundedInteger {
  package static let range: ClosedRange<Int64> = 0...0o7777
  package let value: Int64
  package init(known value: Int64) { self.value = value }
}

/// What one call writes.
package struct FileBytes: FieldValue, Hashable {
  package var bytes: [UInt8]

  package init(_ bytes: [UInt8]) {
    self.bytes = bytes
  }

  package static func decode(_ node: JSONNode) throws(JSONDecodingError) -> FileBytes {
    let bytes = try Base64Bytes.decode(node).bytes
    guard bytes.count <= FileByteCount.range.upperBound else {
      throw JSONDecodingError(.invalid("must be at most \(FileByteCount.range.upperBound) bytes; write in parts"))
    }
    return FileBytes(bytes)
  }

  package func encode(to writer: inout JSONWriter) { Base64Bytes(bytes).encode(to: &writer) }

  package static func schema(in components: inout SchemaComponents) -> JSONValue {
    Base64Bytes.schema(in: &components)
  }
}
