import Bridge
import Model
import TestSupport
import Testing

@testable import mambridge

/// What the Tab key offers, without a shell. `clients/tests/test_completions.py` drives real shells.
@Suite(.ownThreads) struct CompletionTests {
  private static let tree = CommandTree(of: Mambridge.self)

  private func completion(_ words: [String]) throws -> Completion {
    Completer(try #require(Self.tree)).completion(of: words)
  }

  /// The candidates for a line, which is split at spaces.
  private func texts(_ line: String) throws -> [String] {
    let words = line.split(separator: " ", omittingEmptySubsequences: false).map(String.init)
    guard case .words(let candidates) = try completion(words) else { return ["no words"] }
    return candidates.map(\.text)
  }

  @Test(
    "An unambiguous prefix completes to one command, option, method, parameter or value",
    arguments: [
      ("diag", "diagnostics"), ("files prot", "protect"), ("--tenant sample fil", "files"), ("help tenant ch", "check"),
      ("man files prot", "protect"), ("completions z", "zsh"), ("call policy.isURLA", "policy.isURLAllowed"),
      ("explain enforcement.openU", "enforcement.openURL"), ("call --state x policy.isURLA", "policy.isURLAllowed"),
      ("call policy.isURLAllowed u", "url="),
      ("call policy.isSaveToAllowedForLocation location=drop", "location=dropbox"),
      ("explain policy.isSaveToAllowedForLocation location=drop", "location=dropbox"),
      ("call dataProtectionManager.protect data=", "data=@"), ("call pin.set pin=", "pin=@"),
      ("call initialize sdkLevel=1", "sdkLevel=19"), ("--cl", "--clock"), ("--clock m", "manual"),
      ("serve --clock=m", "--clock=manual"), ("--clock=manual stat", "status"), ("log --level e", "error"),
      ("call --color=al", "--color=always"), ("serve --set StrictM", "StrictMode="),
      ("serve --limit nest", "nesting="), ("tenant check --platform a", "android"),
    ])
  func single(_ line: String, _ text: String) throws {
    #expect(try texts(line) == [text])
  }

  @Test("The first word completes to a command or to an option of the default command")
  func commands() throws {
    let names = Mambridge.configuration.subcommands.compactMap { $0.configuration.commandName }
    #expect(try texts("") == names)
    #expect(try texts("help ") == names)
    let options = try texts("-")
    for option in ["--version", "--help", "-h", "--listen", "--tenant"] { #expect(options.contains(option)) }
    #expect(!options.contains("--follow"))
    #expect(Set(options).count == options.count)
  }

  @Test("Completion stops offering an option once it is given, unless it can be repeated")
  func used() throws {
    let options = try texts("log --follow --set x=y --state s -")
    for option in ["--follow", "-f", "--state"] { #expect(!options.contains(option)) }
    for option in ["--set", "--level", "--tenant"] { #expect(options.contains(option)) }
    #expect(try texts("call policy.isURLAllowed -- -").isEmpty)
    #expect(try texts("configure -generate").isEmpty)
  }

  @Test("Completion offers options where no argument can follow")
  func nothingElse() throws {
    for line in ["status ", "tenant check sample ", "call versionInfo.sdkVersion "] {
      #expect(try texts(line).contains("--help"), "\(line)")
    }
  }

  @Test("Completion offers every method, and each of its parameters until it is given")
  func parameters() throws {
    #expect(try texts("call ") == API.allMethods.map { $0.name })
    let method = "call policy.isSaveToAllowedForLocation"
    #expect(
      try texts("\(method) ") == ["location=", "locationAccount=", "account=", "thread=", "window=", "accounts="])
    #expect(
      try texts("\(method) location=box account:=null ") == ["locationAccount=", "thread=", "window=", "accounts="])
    #expect(try texts("\(method) location=").contains("location=oneDriveForBusiness"))
    #expect(try texts("call debug.nothing na").isEmpty)
  }

  @Test("Completion offers true and false as the values of a Boolean parameter")
  func booleans() throws {
    #expect(try texts("call policy.isUniversalLinkAllowed ").isEmpty == false)
    let offered = try API.allMethods.flatMap { method in
      try texts("call \(method.name) ").filter { $0.hasSuffix("=") }.filter { name in
        try texts("call \(method.name) \(name)") == ["\(name)true", "\(name)false"]
      }
    }
    #expect(offered.count > 3)
  }

  @Test(
    "Completion leaves the names of files and folders to the shell",
    arguments: [
      ("files check ", .files(prefix: "")), ("files check a b", .files(prefix: "")),
      ("call --token-file t", .files(prefix: "")), ("serve --settings=s", .files(prefix: "--settings=")),
      ("serve --tenant ", .folders(prefix: "")), ("tenant check t", .folders(prefix: "")),
      ("man --into=m", .folders(prefix: "--into=")),
      ("call dataProtectionManager.protect data=@ph", .files(prefix: "data=@")),
      ("call pin.set pin:=@p", .files(prefix: "pin:=@")), ("call file.open path=/tm", .files(prefix: "path=")),
    ] as [(String, Completion)])
  func paths(_ line: String, _ expected: Completion) throws {
    let words = line.split(separator: " ", omittingEmptySubsequences: false).map(String.init)
    #expect(try completion(words) == expected)
  }

  @Test(
    "Completion splits a line as bash does, and counts the characters that readline keeps",
    arguments: [
      ("mambridge call a=b", ["mambridge", "call", "a=b"], 2), ("mambridge  call ", ["mambridge", "call", ""], 0),
      ("mambridge a='x y", ["mambridge", "a=x y"], 2), ("mambridge --state '' ", ["mambridge", "--state", "", ""], 0),
      ("mambridge \"a b\" c\\ d", ["mambridge", "a b", "c d"], 0),
      ("mambridge data=@ph", ["mambridge", "data=@ph"], 6),
    ])
  func bash(_ line: String, _ words: [String], _ kept: Int) {
    let split = BashLine(line, breaks: " \t\n\"'@><=;|&(:")
    #expect(split.words == words)
    #expect(split.keptCount == kept)
  }

  @Test("---complete prints each candidate with its description after a tab")
  func request() throws {
    let words = try Program.run(["---complete", "words", "call", "--tenant", "sample", "policy.isURLA"])
    let summary = try #require(API.allMethods.first { $0.name == "policy.isURLAllowed" }).summary
    #expect(words.output == "words\npolicy.isURLAllowed\t\(summary)\n")
    #expect(words.errors == "")
    let line = "mambridge call policy.isSaveToAllowedForLocation location=drop"
    #expect(try Program.run(["---complete", "bash", line, "=@:"]).output == "words\ndropbox\n")
    #expect(try Program.run(["---complete", "words", "files", "check", "--state=x"]).output == "folders\t--state=\n")
    #expect(try Program.run(["---complete"]).status == 64)
  }

  @Test(
    "completions prints a script for bash, zsh or fish, but for no other shell", arguments: ["bash", "zsh", "fish"])
  func scripts(_ shell: String) throws {
    let outcome = try Program.run(["completions", shell])
    #expect(outcome.status == 0)
    #expect(outcome.errors == "")
    #expect(outcome.output.contains("---complete"))
    #expect(try Program.run(["completions", "tcsh"]).status == 64)
  }
}
