import ArgumentParser
import Bridge
import Glibc

struct Schema: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "schema",
    abstract: "Print the OpenRPC document: every method, its parameters, result, errors and SDK members.")

  func run() throws {
    throw ExitCode(
      reportingFailure {
        signal(SIGPIPE, SIG_IGN)
        try printResult(OpenRPC.text(serverVersion: Mambridge.version))
        return EXIT_SUCCESS
      })
  }
}
