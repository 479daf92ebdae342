import JSON
import PropertyList

/// One edit of an Info.plist.
package struct Change: Equatable, Sendable {
  package enum Action: Equatable, Sendable {
    /// Strings at the end of an array.
    case append([String])
    case set(JSONValue)
    /// What stands between the tags of a string, as it is to be written.
    case setRawText(String)
    /// The value of another entry, which goes.
    case move(from: PropertyListPath)
  }

  package let path: PropertyListPath
  package let action: Action
  /// What the edit did, in words; it stands beside it in the file.
  package let comment: String

  func apply(to text: inout PropertyListText) throws(PropertyListError) {
    let mark = "mambridge: \(comment)"
    switch action {
    case .append(let strings): try text.append(strings, toArrayAt: path, comment: mark)
    case .set(let value): try text.set(value, at: path, comment: mark)
    case .setRawText(let raw): try text.setRawText(raw, at: path, comment: mark)
    case .move(let source):
      guard let value = text.root.element(at: source)?.value else { return }
      try text.set(value, at: path, comment: mark)
      try text.remove(source)
    }
  }

  /// What is there afterwards and was not before.
  package var detail: String {
    switch action {
    case .append(let strings): strings.joined(separator: ", ")
    case .set, .setRawText: comment
    case .move(let source): "the value of \(source)"
    }
  }
}
