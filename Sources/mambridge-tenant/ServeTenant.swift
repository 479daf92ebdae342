import ArgumentParser
struct ServeTenant: ParsableCommand {
  static let configuration = CommandConfiguration(commandName: "serve", abstract: "…")
}
