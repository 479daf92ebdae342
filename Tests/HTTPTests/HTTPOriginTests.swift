import HTTP
import Testing

@Suite struct HTTPOriginTests {
  @Test(
    "the origin of a URL has a scheme, a host and a port",
    arguments: [
      ("https://login.contoso.example/api?x=http://other", "https", "login.contoso.example", 443),
      ("HTTP://Localhost:4593", "http", "localhost", 4593), ("http://a#b", "http", "a", 80),
      ("https://[2001:DB8::1]:8443/", "https", "2001:db8::1", 8443), ("https://[::1]", "https", "::1", 443),
    ])
  func parts(_ url: String, _ scheme: String, _ host: String, _ port: Int) throws {
    let origin = try #require(HTTPOrigin(of: url))
    #expect(origin.scheme == scheme && origin.host == host && origin.port == port)
  }

  @Test("the same origin is written in several ways")
  func equal() {
    #expect(HTTPOrigin(of: "https://A.example:443/x") == HTTPOrigin(of: "HTTPS://a.example"))
    #expect(HTTPOrigin(of: "https://a.example") != HTTPOrigin(of: "http://a.example"))
    #expect(HTTPOrigin(of: "https://a.example") != HTTPOrigin(of: "https://a.example:444"))
  }

  @Test(
    "other texts have no origin",
    arguments: [
      "", "a", "/a", "//a", "file:///a", "ftp://a", "https:/a", "https://", "https://:80", "https://a:", "https://a:0",
      "https://a:65536", "https://a:x", "https://a:-1", "https://user@a", "https://localhost@a.example/",
      "https://a\\@b", "https://a b", "https://a\n", "https://ä", "https://[::1", "https://[::1]x", "https://[]",
      "https://a:+1",
    ])
  func none(_ url: String) {
    #expect(HTTPOrigin(of: url) == nil)
  }

  @Test("only https and this machine are safe")
  func safety() {
    let safe = [
      "https://a.example", "http://localhost", "http://127.0.0.1:80", "http://127.255.255.254", "http://[::1]:8080/x",
    ]
    for url in safe { #expect(HTTPOrigin(of: url)?.isSafe == true) }
    let unsafe = [
      "http://a.example", "http://127.0.0.1.example", "http://127.1", "http://localhost.example", "http://10.0.0.1",
      "http://127.0.0.256", "http://[::2]",
    ]
    for url in unsafe { #expect(HTTPOrigin(of: url)?.isSafe == false) }
  }
}
