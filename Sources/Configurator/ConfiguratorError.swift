import PropertyList

/// Why nothing was changed: which file, what is wrong with it, and the way out.
package struct ConfiguratorError: Error, Equatable, Sendable {
  package enum Reason: Equatable, Sendable {
    case malformed(PropertyListError)
    case wrongType(key: String, expected: String)
    /// A binary list can be checked, but has no text that could be edited.
    case binary
    case unreadable(String)
    case unwritable(String)
  }

  package let reason: Reason
  package let path: String

  package init(_ reason: Reason, path: String) {
    self.reason = reason
    self.path = path
  }

  package var message: String {
    switch reason {
    case .malformed(let error):
      error.place.map { "\(path):\($0.line):\($0.column): \(error.message)" } ?? "\(path): \(error.message)"
    case .wrongType(let key, let expected): "\(path): \(key) must be \(expected)"
    case .binary: "\(path) is a binary property list, which has no lines or comments to edit"
    case .unreadable(let why): "\(path) cannot be read: \(why)"
    case .unwritable(let why): "\(path) cannot be written: \(why)"
    }
  }

  package var hint: String {
    switch reason {
    case .malformed, .wrongType: "No file was changed; mend it and run this again."
    case .binary: "Edit the Info.plist of the project, or convert it first: plutil -convert xml1 on macOS."
    case .unreadable: "Check the path and its permissions."
    case .unwritable: "It is as it was before."
    }
  }
}

extension ConfiguratorError: CustomStringConvertible {
  package var description: String { "\(message). \(hint)" }
}
