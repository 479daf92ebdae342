import ArgumentParser

@main
struct MambridgeTenant: ParsableCommand {
  static let configuration = CommandConfiguration(commandName: "mambridge-tenant", abstract: "A tenant over the network.")
}
