/// Something that is missing, or worth a look.
package struct Finding: Equatable, Sendable {
  package enum Kind: String, Sendable {
    /// The configurator adds it.
    case edit
    /// Only the developer can do it.
    case manual
    /// Nothing is missing for sure.
    case hint
  }

  package let kind: Kind
  /// The file that is meant.
  package let path: String
  /// The key in it, or what stands for one.
  package let key: String
  package let text: String
}

extension PropertyListFile {
  func manual(_ key: String, _ text: String) -> Finding { Finding(kind: .manual, path: path, key: key, text: text) }
  func hint(_ key: String, _ text: String) -> Finding { Finding(kind: .hint, path: path, key: key, text: text) }
}
