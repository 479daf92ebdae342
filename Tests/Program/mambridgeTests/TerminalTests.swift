import Glibc
import JSON
import TestSupport
import Testing

@testable import mambridge

/// What a person sees on a terminal: widths, colors, and what goes where.
@Suite(.ownThreads) struct TerminalTests {
  private let program = Program()

  private func show(
    _ arguments: [String], columns: Int = 80, _ environment: [String: String] = [:], output: String? = nil
  ) throws -> (status: Int32, text: String) {
    try TerminalProgram.run(
      Program.path, arguments, columns: columns, environment: environment, output: output)
  }

  /// Every command and subcommand.
  private static let commands: [[String]] = {
    func paths(_ tree: CommandTree) -> [[String]] {
      [[]] + tree.subcommands.filter { $0.name != "help" }.flatMap { child in paths(child).map { [child.name] + $0 } }
    }
    return CommandTree(of: Mambridge.self).map(paths) ?? []
  }()

  @Test("The help of every command fits 80 and 200 columns, and has no colors", arguments: [80, 200])
  func help(columns: Int) throws {
    #expect(Self.commands.count > 15)
    for command in Self.commands {
      let (status, text) = try show(command + ["--help"], columns: columns)
      let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
      #expect(
        status == 0 && lines.allSatisfy { $0.count <= columns }, "\(command): \(lines.filter { $0.count > columns })")
      #expect(text.contains("USAGE: mambridge"), "\(command)")
      #expect(text.contains("--help"), "\(command)")
      #expect(!text.contains("\u{1B}"), "\(command)")
    }
  }

  @Test("JSON is indented and colored on a terminal", arguments: [40, 80, 200])
  func json(columns: Int) throws {
    for command in [
      ["call", "versionInfo.sdkVersion"],
      ["call", "enrollmentManager.registerAndEnrollAccount", "account=alice@contoso.example"],
      ["call", "tenant.status"], ["explain", "policy.isPINRequired", "--json"], ["keys", "info"],
      ["files", "info", program.folder.write("text", to: "plan")],
      ["files", "check", "--json", program.folder.file("plan")],
      ["diagnostics", "--json"],
    ] {
      let (status, text) = try show(command + program.options, columns: columns)
      #expect(status == 0, "\(command) \(text)")
      #expect(text.contains("\u{1B}[0;32m\""), "\(command) \(text)")
      let plain = text.withoutEscapes.split(separator: "\n").filter { !$0.hasPrefix("mambridge: ") }.joined(
        separator: "\n")
      let value = try JSONValue(parsing: plain)
      #expect(plain == JSONLayout(isIndented: true).text(of: value), "\(command)")
    }
  }

  @Test("A JSON error is indented and colored on a terminal")
  func error() throws {
    let (status, text) = try show(["call", "policy.isURLAllowed"] + program.options)
    #expect(status == 1)
    #expect(text.hasPrefix("\u{1B}[1;39m{"))
    #expect(text.contains("\n  "))
    #expect(try JSONValue(parsing: text.withoutEscapes)["code"] == -32602)
  }

  @Test(
    "Output has no colors with NO_COLOR, TERM=dumb, an empty TERM or --color never",
    arguments: [
      (["NO_COLOR": "1"], []), (["TERM": "dumb"], []), (["TERM": ""], []), ([:], ["--color", "never"]),
    ] as [([String: String], [String])])
  func noColors(_ environment: [String: String], _ options: [String]) throws {
    for command in [
      ["call", "tenant.status"], ["diagnostics"], ["tenant", "check", "sample"], ["call", "pin.set", "--help"],
    ] {
      let isCore = ["call", "diagnostics"].contains(command[0])
      let (_, text) = try show(command + options + (isCore ? program.options : []), environment)
      #expect(!text.contains("\u{1B}"), "\(command)")
      #expect(text.contains("\n"), "\(command)")
    }
  }

  @Test("--color always wins over NO_COLOR and a pipe, and also indents JSON")
  func always() throws {
    let (_, text) = try show(["call", "versionInfo.sdkVersion", "--color", "always"], ["NO_COLOR": "1"])
    #expect(text == "\u{1B}[0;32m\"21.7.1\"\u{1B}[0m\n")
    let piped = try Program.run(["call", "tenant.status", "--color", "always"] + program.options)
    #expect(piped.output.contains("\u{1B}[34;1m"))
    #expect(piped.lines.count > 3)
    let help = try Program.run(["call", "pin.set", "--help", "--color=always"])
    #expect(help.output.hasPrefix("\u{1B}[1mpin.set\u{1B}[0m\n"))
    #expect(try Program.run(["call", "tenant.status", "--color", "sometimes"]).status == 64)
  }

  @Test("In a pipe, JSON is one line without colors, and messages go to standard error")
  func piped() throws {
    let outcome = try program.call("tenant.status")
    #expect(outcome.lines.count == 1)
    #expect(outcome.errors == "")
    #expect(!outcome.output.contains("\u{1B}"))
    let plan = program.folder.write("text", to: "plan")
    let file = program.folder.file("output")
    let (status, screen) = try show(["files", "info", plan] + program.options, output: file)
    #expect(status == 0)
    #expect(screen == "mambridge: 1 file: 0 encrypted, 0 plain with an owner, 1 without an owner\n")
    let text = String(decoding: readFile(file) ?? [], as: UTF8.self)
    #expect(try JSONValue(parsing: text)["path"] == .string(plan))
    #expect(text.split(separator: "\n").count == 1)
  }

  @Test("call METHOD --help, tenant check and diagnostics fit the terminal width", arguments: [40, 80, 200])
  func widths(columns: Int) throws {
    for command in [["call", "policy.isPINRequired", "--help"], ["tenant", "check", "sample"], ["diagnostics"]] {
      let options = command == ["diagnostics"] ? program.options : []
      let lines = try show(command + options, columns: columns).text.withoutEscapes.split(separator: "\n")
      #expect(
        lines.allSatisfy { $0.count <= columns } && lines.contains { $0.count > columns / 3 }, "\(command) \(lines)")
    }
  }

  @Test("On a terminal, the server says what it waits for and how to get help")
  func greeting() throws {
    let shell = try TerminalProgram(Program.path, program.options, columns: 80)
    try shell.waitFor("mambridge --help")
    for text in ["waits for JSON-RPC 2.0 requests", "versionInfo.sdkVersion", "Ctrl-D"] {
      #expect(shell.text.contains(text))
    }
    shell.type(request("versionInfo.sdkVersion") + "\n")
    try shell.waitFor("\"result\":\"21.7.1\"")
    shell.pressControlD()
    #expect(try shell.wait().status == 0)
  }

  @Test("The server prints no greeting if its input is a pipe")
  func noGreeting() throws {
    let outcome = try program.serve(request("versionInfo.sdkVersion") + "\n", options: program.options)
    #expect(outcome.status == 0)
    #expect(outcome.errors == "")
  }

  @Test("call - says on a terminal that it waits for parameters")
  func parameters() throws {
    let call = try TerminalProgram(Program.path, ["call", "policyManager.isIdentityEqual", "-"] + program.options)
    try call.waitFor("mambridge: type the parameters; Ctrl-D ends the input")
    call.type("[\"a\", \"A\"]\n")
    call.pressControlD()
    let (status, text) = try call.wait()
    #expect(status == 0)
    #expect(text.withoutEscapes.hasSuffix("\ntrue\n"))
  }
}
