/// A value that does not fit its declaration, and where it stands.
package struct JSONDecodingError: Error, Equatable {
  package enum Reason: Equatable, Sendable {
    case missing
    case unknown
    case wrongType(expected: String, found: String)
    case invalid(String)
    /// The value is right, but the system is out of memory for it.
    case outOfMemory
  }

  package let reason: Reason
  /// From the innermost outwards, so that each level appends its own.
  private var reversedPath: [String] = []

  package init(_ reason: Reason) {
    self.reason = reason
  }

  package static func wrongType(expected: String, _ node: JSONNode) -> JSONDecodingError {
    JSONDecodingError(.wrongType(expected: expected, found: node.kind))
  }

  /// The same error one level further out.
  package func inside(_ name: String) -> JSONDecodingError {
    var copy = self
    copy.reversedPath.append(name)
    return copy
  }

  /// A JSON Pointer (RFC 6901) such as `/settings/0/name`; empty for the whole.
  package var path: String {
    reversedPath.reversed().map { "/" + $0.pointerEscaped }.joined()
  }

  package var message: String {
    let place = path.isEmpty ? "the value" : path
    return switch reason {
    case .missing: "\(place) is missing"
    case .unknown: "\(place) is not known"
    case .wrongType(let expected, let found): "\(place) must be \(expected), not \(found)"
    case .invalid(let text): "\(place) \(text)"
    case .outOfMemory: "the system is out of memory for \(place)"
    }
  }
}

extension String {
  fileprivate var pointerEscaped: String {
    guard utf8.contains(where: { $0 == UInt8(ascii: "~") || $0 == UInt8(ascii: "/") }) else { return self }
    return reduce(into: "") { text, character in
      switch character {
      case "~": text += "~0"
      case "/": text += "~1"
      default: text.append(character)
      }
    }
  }
}

extension JSONNode {
  /// The word that an error text uses for this kind of value.
  package var kind: String {
    if isNull { return "null" }
    if bool != nil { return "a boolean" }
    if integer != nil { return "an integer" }
    if real != nil { return "a number" }
    if elementCount != nil { return "an array" }
    return memberCount == nil ? "a string" : "an object"
  }
}
