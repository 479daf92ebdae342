import Glibc

/// Which program is the policy source.
package enum SourceProgram: Equatable, Sendable {
  /// A program and its arguments.
  case command([String])
  /// The program that speaks to the tenant service at an address.
  case tenantService(at: String)

  static let serviceProgram = "mambridge-tenant"
  private static let folderVariable = "MAMBRIDGE_LIBEXEC"

  /// The program and its arguments. Looks for the program on the disk.
  var words: [String] {
    switch self {
    case .command(let words): words
    case .tenantService(let address): [Self.servicePath, "source", address]
    }
  }

  var name: String {
    switch self {
    case .command(let words): words.first ?? ""
    case .tenantService: Self.serviceProgram
    }
  }

  /// What to do if the program cannot be started.
  var remedy: String {
    switch self {
    case .command: "Check the program that --tenant names."
    case .tenantService:
      "Install it beside mambridge, in the folder that \(Self.folderVariable) names, or in a folder on PATH."
    }
  }

  static let login = "mambridge-tenant login"

  /// How a user signs in, as a sentence after another one; empty if only the program itself knows.
  var waysToSignIn: String {
    switch self {
    case .command: ""
    case .tenantService(let address):
      " Sign in with \(Self.login) \(address), or check in from an app that can show the sign-in."
    }
  }

  /// Beside this program, in the folder of the variable, or else on PATH.
  static var servicePath: String {
    let own = realpath("/proc/self/exe", nil)
    defer { free(own) }
    let beside = own.map { String(cString: $0) }?.split(separator: "/").dropLast().map { "/" + $0 }.joined()
    let named = getenv(folderVariable).map { String(cString: $0) }
    let paths = [beside, named].compactMap { $0 }.map { "\($0)/\(serviceProgram)" }
    return paths.first { access($0, X_OK) == 0 } ?? serviceProgram
  }
}
