import JSON
import TestSupport
import Testing

@Suite struct LocaleTests {
  private static let method = "uiHelper.getRestartApplicationMessage"
  let program = Program()

  @Test(
    "Messages to users are in the language of --locale, or of the environment, or in English",
    arguments: [
      ([:], [], "Your organization"), (["LC_ALL": "pt_BR.UTF-8"], [], "Sua organização"),
      (["LC_ALL": "", "LC_MESSAGES": "", "LANG": "it_IT.UTF-8"], [], "Ora la tua organizzazione"),
      (["LC_ALL": "pt_BR.UTF-8"], ["--locale", "es-MX"], "Su organización"),
      (["LC_ALL": "pt_BR.UTF-8"], ["--locale", "de"], "Your organization"),
    ] as [([String: String], [String], String)])
  func languages(environment: [String: String], options: [String], start: String) throws {
    let environment = ["LC_ALL": "C", "LANGUAGE": ""].merging(environment) { $1 }
    for command in [[], ["serve"]] {
      let server = try Subprocess(Program.path, command + program.options + options, environment: environment)
      #expect(try server.ask(Self.method)["result"]?.stringValue?.hasPrefix(start) == true)
    }
  }

  @Test("call accepts --locale")
  func call() throws {
    let outcome = try program.call(Self.method, options: ["--locale", "tr_TR.UTF-8"])
    #expect(outcome.output.hasPrefix("\"Kuruluşunuz"))
  }
}
