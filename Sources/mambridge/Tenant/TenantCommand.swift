import ArgumentParser

struct TenantCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "tenant",
    abstract: "Work with the folder that policies come from.",
    subcommands: [CheckTenant.self])
}
