import ArgumentParser
import BridgeAPI

struct Schema: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "schema",
    abstract: "Print the OpenRPC document: every method, its parameters, result, errors and SDK members.")

  func run() {
    print(OpenRPC.text(serverVersion: Mambridge.version), terminator: "")
  }
}
