import Support

/// The path and the query of a request as a server receives it, decoded.
package struct HTTPTarget: Hashable, Sendable {
  /// The parts of the path between slashes; empty for `/`.
  package let path: [String]
  /// In order. A name without `=` has an empty value.
  package let query: [(name: String, value: String)]

  /// `nil` for text that is no path, or whose percent encoding does not lead to UTF-8 without NUL.
  package init?(_ text: String) {
    let parts = text.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
    guard let first = parts.first, first.hasPrefix("/") else { return nil }
    var path: [String] = []
    for part in first.dropFirst().split(separator: "/", omittingEmptySubsequences: false) {
      guard let decoded = part.percentDecoded(plusIsSpace: false) else { return nil }
      path.append(decoded)
    }
    self.path = path == [""] ? [] : path
    var query: [(name: String, value: String)] = []
    for pair in (parts.count > 1 ? parts[1] : "").split(separator: "&") {
      let sides = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      guard let name = sides[0].percentDecoded(plusIsSpace: true),
        let value = (sides.count > 1 ? sides[1] : "").percentDecoded(plusIsSpace: true)
      else { return nil }
      query.append((name, value))
    }
    self.query = query
  }

  /// The first value of a name; `nil` if the query does not have the name.
  package subscript(name: String) -> String? { query.first { $0.name == name }?.value }

  package static func == (left: HTTPTarget, right: HTTPTarget) -> Bool {
    left.path == right.path && left.query.elementsEqual(right.query) { $0 == $1 }
  }

  package func hash(into hasher: inout Hasher) {
    hasher.combine(path)
    for pair in query { hasher.combine(pair.name) }
  }
}

extension Substring {
  /// `nil` if an escape is not two hexadecimal digits, or if the bytes are not UTF-8 or have a NUL.
  fileprivate func percentDecoded(plusIsSpace: Bool) -> String? {
    var bytes: [UInt8] = []
    var rest = utf8.makeIterator()
    while let byte = rest.next() {
      switch byte {
      case UInt8(ascii: "%"):
        guard let high = rest.next().flatMap(Hex.value), let low = rest.next().flatMap(Hex.value) else { return nil }
        bytes.append(high << 4 | low)
      case UInt8(ascii: "+") where plusIsSpace: bytes.append(UInt8(ascii: " "))
      default: bytes.append(byte)
      }
    }
    return bytes.contains(0) ? nil : String(validating: bytes, as: UTF8.self)
  }
}
