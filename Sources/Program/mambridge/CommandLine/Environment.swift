import Glibc
import Support

/// The variables that stand in for options: an option comes first, then its variable, then the default.
enum Variable: String, CaseIterable {
  case tenant = "MAMBRIDGE_TENANT"
  case state = "MAMBRIDGE_STATE"
  case appId = "MAMBRIDGE_APP_ID"
  case clock = "MAMBRIDGE_CLOCK"
  /// Stands in for no option: it says that the others are those of a sandbox.
  case sandbox = "MAMBRIDGE_SANDBOX"

  /// The variables of this program, and those that choose files and folders. Their values must be UTF-8.
  static let names: [StaticString] = [
    "MAMBRIDGE_", "XDG_STATE_HOME", "XDG_RUNTIME_DIR", "HOME", "TMPDIR", "SSL_CERT_FILE", "SSL_CERT_DIR", "BROWSER",
  ]

  private static let announced = Lock<Set<Variable>>([])

  /// `nil` if the variable is not set or empty.
  var value: String? { environment(rawValue) }

  /// Says on a terminal, once, that the variable chose `what`: a variable set long ago is easily forgotten. The log of a
  /// service or of a host is not the place for it.
  func announce(_ what: String) {
    guard isatty(STDERR_FILENO) == 1 else { return }
    guard Self.announced.withLock({ $0.insert(self).inserted }) else { return }
    printError("mambridge: \(what), from \(rawValue)")
  }
}
