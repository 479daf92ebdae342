import Testing

@testable import SourceHost

@Suite struct TenantPullProgramTests {
  @Test(
    "A URL of Microsoft Graph is pulled with --graph, and any other URL with --service",
    arguments: [
      ("https://graph.microsoft.com", true), ("https://Graph.Microsoft.com:443/", true),
      ("https://graph.microsoft.us", true), ("https://microsoftgraph.chinacloudapi.cn", true),
      ("https://mam.contoso.example", false), ("https://graph.microsoft.com.contoso.example", false),
      ("https://mam.contoso.example/graph.microsoft.com", false), ("https://", false),
    ])
  func kinds(address: String, isGraph: Bool) {
    let pull = TenantPullProgram(address, options: ["--ca", "a b.pem"])
    #expect(pull.isGraph == isGraph)
    #expect(
      Array(pull.words(into: "/folder").dropFirst()) == [
        "pull", "/folder", isGraph ? "--graph" : "--service", address, "--allow-removals", "--ca", "a b.pem",
      ])
  }

  @Test("TenantPullProgram.isAddress is true only for http and https URLs")
  func addresses() {
    for name in ["https://a.example", "http://127.0.0.1:1"] { #expect(TenantPullProgram.isAddress(name)) }
    for name in ["sample", "git:HEAD:a", "./https:", "exec:a", ""] { #expect(!TenantPullProgram.isAddress(name)) }
  }
}
