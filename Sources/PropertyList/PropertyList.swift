import JSON

/// A property list in either form, XML or binary, as the JSON that stands for it.
///
/// A date becomes text (in a binary list: seconds), data base64.
package enum PropertyList {
  package static func parse(_ bytes: [UInt8]) throws(PropertyListError) -> JSONValue {
    isBinary(bytes) ? try BinaryPropertyList.parse(bytes) : try XMLPropertyList(bytes).root.value
  }

  package static func isBinary(_ bytes: [UInt8]) -> Bool { bytes.starts(with: "bplist".utf8) }
}
