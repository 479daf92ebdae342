import ArgumentParser
import Glibc
import GraphPull
import HTTP
import Support

struct WipeDevice: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "wipe",
    abstract: "Wipe the data of a user's apps on one device.",
    discussion: """
      Orders the wipe of all apps of the user on the device, shows which these are, and asks first. A device that is \
      connected carries it out at once, another one at its next check-in, also if the user can no longer sign in. Data of \
      other users and other devices stays. The token must have a role that may wipe; see --admin-role of serve.

      Without --device-tag, wipes the only device that the user has. mambridge-tenant registrations lists the device tags, \
      and with --operations how far a wipe is.

      Exit codes: 0 ordered; 1 the service refuses, or you answered no; 64 invalid command line, or nobody can be asked \
      and --yes is missing; 69 the service cannot be reached or is too busy; 77 no token, or its role may not wipe.

      Examples:

        mambridge-tenant wipe https://mam.contoso.example alice@contoso.example \\
          --device-tag 5c1c2cf5-3c4b-4bb5-9b0a-ec05a7d1a6a8 --token-command ./admin-token
      """)

  @Argument(help: ServiceAddress.help) var service: ServiceAddress

  @Argument(help: "The user, by user principal name or object id.") var user: String

  @Option(
    help: ArgumentHelp(
      "The device tag, as mambridge-tenant registrations lists it. Needed if the user has several devices.",
      valueName: "tag"))
  var deviceTag: String?

  @Flag(help: "Do not ask.")
  var yes = false

  @OptionGroup var options: AdministratorOptions

  func validate() throws {
    guard deviceTag != "" else { throw ValidationError("--device-tag must not be empty.") }
    guard yes || isatty(STDIN_FILENO) == 1 else {
      throw ValidationError("A wipe needs a confirmation. Run it in a terminal, or with --yes.")
    }
  }

  func run() throws {
    MambridgeTenant.prepareProcess()
    try reportingFailure {
      let administration = try options.makeAdministration(of: service)
      let user = user
      let all = try waitingForGraph { try await administration.registrations(of: user) }
      let tag = try deviceTag ?? onlyTag(of: all)
      let targets = all.filter { $0.deviceTag == tag }
      guard !targets.isEmpty else { throw failure("\(user) has no app on a device with the tag \(tag).") }
      printError(TextTable.text(ListedRegistration.columns, targets.map(\.row)) + Self.question(targets.count))
      guard yes || Self.isConfirmed() else {
        throw CommandFailure(exitCode: EXIT_FAILURE, message: "nothing was wiped")
      }
      try waitingForGraph { try await administration.wipe(user, deviceTag: tag) }
      try printResult("ordered the wipe of \(Self.apps(targets.count))\n")
      return EXIT_SUCCESS
    }
  }

  private func onlyTag(of registrations: [ListedRegistration]) throws -> String {
    let tags = Set(registrations.map(\.deviceTag)).sorted()
    guard let tag = tags.first else { throw failure("\(user) has no app that is enrolled.") }
    guard tags.count == 1 else {
      let shown = tags.prefix(10).map { $0.shown(atMost: 80) }.joined(separator: ", ")
      throw failure("\(user) has \(tags.count) devices. Name one with --device-tag: \(shown).")
    }
    return tag
  }

  private func failure(_ message: String) -> CommandFailure {
    CommandFailure(
      exitCode: EXIT_FAILURE, message: "\(message) See: mambridge-tenant registrations \(service.url) --user \(user)")
  }

  private static func apps(_ count: Int) -> String { count == 1 ? "1 app" : "\(count) apps" }

  private static func question(_ count: Int) -> String {
    "This removes the organization's data from \(apps(count)). It cannot be undone."
  }

  private static func isConfirmed() -> Bool {
    let text = Array("Wipe? [y/N] ".utf8)
    _ = write(STDERR_FILENO, text, text.count)
    return ["y", "yes"].contains(readLine()?.lowercased() ?? "")
  }
}
