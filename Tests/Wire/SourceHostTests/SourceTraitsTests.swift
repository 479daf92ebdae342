import JSON
import SourceProtocol
import Support
import Testing

@testable import MAM
@testable import SourceHost
@testable import Tenancy

/// What is taken from the answer to `source.open`, and from what a source sends by itself.
@Suite struct SourceTraitsTests {
  private func traits(_ text: String) throws -> SourceTraits { try SourceTraits(JSONDocument(parsing: text).root) }

  private func prompt(_ text: String) throws -> SourcePrompt? { SourcePrompt(try JSONDocument(parsing: text).root) }

  @Test(
    "An invalid answer to source.open causes a fault that gives the reason",
    arguments: [
      ("null", "does not say which version"), ("[]", "does not say which version"),
      ("{}", "does not say which version"),
      (#"{"protocolVersion":"1"}"#, "does not say which version"),
      (#"{"protocolVersion":1.5}"#, "does not say which version"),
      (
        #"{"protocolVersion":2,"authentication":{}}"#,
        "speaks version 2 of the protocol, but mambridge speaks version 1"
      ),
      (#"{"protocolVersion":1,"authentication":{}}"#, "does not name their authority and scopes"),
      (#"{"protocolVersion":1,"authentication":{"authority":5,"scopes":["s"]}}"#, "authority and scopes"),
      (#"{"protocolVersion":1,"authentication":{"authority":"a","scopes":[]}}"#, "authority and scopes"),
      (#"{"protocolVersion":1,"authentication":{"authority":"a","scopes":[1]}}"#, "authority and scopes"),
      (#"{"protocolVersion":1,"authentication":{"authority":"a","scopes":"s"}}"#, "authority and scopes"),
    ])
  func fault(text: String, reason: String) {
    let fault = #expect(throws: SourceFault.self) { try traits(text) }
    #expect(fault?.kind == .broken, "\(fault?.text ?? "")")
    #expect(fault?.text.contains(reason) == true, "\(fault?.text ?? "")")
  }

  @Test(
    "Missing or mistyped members in the answer to source.open count as absent",
    arguments: [
      #"{"protocolVersion":1}"#, #"{"protocolVersion":1.0,"name":null,"authentication":null}"#,
      #"{"protocolVersion":1,"name":5,"push":"yes","signIn":1,"failures":null,"authentication":"x","more":[]}"#,
    ])
  func silence(text: String) throws {
    let traits = try traits(text)
    #expect(traits.name == "the policy source")
    #expect(traits.authentication == nil)
    #expect(!traits.canPush)
    #expect(!traits.canSignIn)
    #expect(!traits.takesFailures)
    #expect(!traits.isDevelopment)
  }

  @Test("The answer to source.open says what the source can do and which tokens it takes")
  func whole() throws {
    let traits = try traits(
      #"""
      {"protocolVersion":1,"name":"n","push":true,"signIn":true,"failures":true,
       "authentication":{"authority":"a","resource":5,"scopes":["s"],"clientId":"c"}}
      """#)
    #expect(traits.name == "n")
    #expect(traits.canPush)
    #expect(traits.canSignIn)
    #expect(traits.takesFailures)
    let expected = TenantAuthentication(authority: "a", resource: "a", scopes: ["s"], clientId: "c")
    #expect(traits.authentication == expected)
  }

  @Test("A development tenant needs a development state, and any other tenant needs an ordinary state")
  func development() throws {
    let (development, real) = (
      try traits(#"{"protocolVersion":1,"development":true}"#), try traits(#"{"protocolVersion":1}"#)
    )
    try development.check(isDevelopmentState: true)
    try real.check(isDevelopmentState: false)
    let fault = #expect(throws: SourceFault.self) { try development.check(isDevelopmentState: false) }
    #expect(fault?.kind == .cannotStart)
    #expect(fault?.text.contains("is for development") == true)
    let other = #expect(throws: SourceFault.self) { try real.check(isDevelopmentState: true) }
    #expect(other?.kind == .cannotStart)
    #expect(other?.text.contains("for a development tenant alone") == true)
  }

  @Test("A prompt needs a web page; its other members may be missing or of a wrong type")
  func prompt() throws {
    let prompt = try #require(
      try self.prompt(#"{"verificationUri":"https://x","userCode":5,"message":null,"expires":"soon"}"#)
    )
    #expect(prompt.userCode.isEmpty)
    #expect(prompt.message.isEmpty)
    #expect(prompt.expires > SystemClock().now)
    for text in ["null", "{}", #"{"verificationUri":5}"#, #"{"verificationUri":"ftp://x"}"#] {
      let none = try self.prompt(text)
      #expect(none == nil, "\(text)")
    }
  }

  @Test(
    "source.didChange is about one account or all, and its spread is at most an hour",
    arguments: [
      ("null", nil, 0.0), ("{}", nil, 0), (#"{"account":null,"spread":"5"}"#, nil, 0), (#"{"account":{}}"#, nil, 0),
      (#"{"account":{"accountId":"a","identity":"i"},"spread":5}"#, "a", 5),
      (#"{"account":{"accountId":null,"identity":"i"},"spread":-5}"#, "i", 0),
      (#"{"account":{"identity":"i"},"spread":1e9}"#, "i", 3600),
      (#"{"account":{"accountId":5},"spread":0.5}"#, nil, 0.5),
    ])
  func change(text: String, name: String?, seconds: Double) throws {
    let change = SourceChange(try JSONDocument(parsing: text).root)
    #expect(change.account?.text == name)
    #expect(change.spread == .seconds(seconds))
  }
}
