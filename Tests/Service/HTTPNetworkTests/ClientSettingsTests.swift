import HTTP
import Testing

@testable import HTTPNetwork

@Suite struct ClientSettingsTests {
  struct Choice: Sendable, CustomTestStringConvertible {
    let variables: [String: String]
    var option: String?
    var url = "https://a.example"
    let usesProxy: Bool

    var testDescription: String { "\(variables.sorted { $0.key < $1.key }) \(option ?? "") \(url)" }
  }

  @Test(arguments: [
    Choice(variables: [:], usesProxy: false),
    Choice(variables: ["HTTPS_PROXY": "http://proxy:3128"], usesProxy: true),
    Choice(variables: ["https_proxy": "proxy:3128"], usesProxy: true),
    Choice(variables: ["HTTPS_PROXY": "http://proxy:3128"], url: "https://localhost", usesProxy: false),
    Choice(variables: ["HTTPS_PROXY": "proxy:3128", "NO_PROXY": "b.example, a.example"], usesProxy: false),
    Choice(variables: ["HTTPS_PROXY": "proxy:3128", "no_proxy": ".example"], usesProxy: false),
    Choice(variables: ["HTTPS_PROXY": "proxy:3128", "NO_PROXY": "*.example"], usesProxy: false),
    Choice(variables: ["HTTPS_PROXY": "proxy:3128", "NO_PROXY": "*"], usesProxy: false),
    Choice(variables: ["HTTPS_PROXY": "proxy:3128", "NO_PROXY": "a.example:444"], usesProxy: true),
    Choice(variables: ["HTTPS_PROXY": "proxy:3128", "NO_PROXY": "xample"], usesProxy: true),
    Choice(variables: ["HTTPS_PROXY": "proxy:3128", "NO_PROXY": "::1"], url: "https://[::2]", usesProxy: true),
    Choice(variables: ["HTTPS_PROXY": "proxy:3128", "NO_PROXY": "[::2]"], url: "https://[::2]", usesProxy: false),
    Choice(variables: ["NO_PROXY": "*"], option: "http://proxy:3128", usesProxy: true),
  ])
  func usesAProxyAsOptionsAndVariablesSay(choice: Choice) throws {
    let settings = try ClientSettings(trustedFile: nil, proxy: choice.option) { choice.variables[$0] }
    #expect(settings.usesProxy(for: try #require(WebURL(choice.url))) == choice.usesProxy)
  }

  @Test(arguments: ["https://proxy:3128", "socks5://proxy", "http://", "ftp://user:secret@proxy"])
  func refusesOtherProxiesWithoutShowingTheText(text: String) throws {
    #expect {
      try ClientSettings(trustedFile: nil, proxy: text) { _ in nil }
    } throws: {
      !"\($0)".contains("secret") && "\($0)".hasPrefix("--proxy is not the address of an HTTP proxy.")
    }
  }

  @Test func trustsTheFileOfTheOptionBeforeThatOfTheVariable() throws {
    let environment = { $0 == "SSL_CERT_FILE" ? "of-variable" : nil }
    #expect(try ClientSettings(trustedFile: nil, proxy: nil, environment: environment).trustedFile == "of-variable")
    #expect(try ClientSettings(trustedFile: "own", proxy: nil, environment: environment).trustedFile == "own")
  }
}
