import ArgumentParser

/// An option that names one user or one app.
enum NamedOption: String {
  case user = "--user"
  case app = "--app"

  private var noun: String {
    switch self {
    case .user: "a user by user principal name or object id"
    case .app: "an app by its bundle id or package name"
    }
  }

  /// Throws for a value that can name nothing, such as that of an unset variable of a script.
  func check(_ value: String?) throws {
    guard let value else { return }
    let advice = "Name \(noun), or leave out the option."
    guard !value.isEmpty else { throw ValidationError("\(rawValue) is empty. \(advice)") }
    guard value != "*", !value.contains(where: { $0.isWhitespace || $0 == "," }), value == value.shown else {
      throw ValidationError("\(rawValue) \(value.shown) names nothing. \(advice)")
    }
  }
}
