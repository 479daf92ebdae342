import HTTP
import Testing

@Suite struct WebURLTests {
  @Test(
    "WebURL parses the scheme, the host, the port and the target of an HTTP URL",
    arguments: [
      ("https://login.contoso.example/a?x=http://b", "https", "login.contoso.example", 443, "/a?x=http://b"),
      ("HTTP://Localhost:4593", "http", "localhost", 4593, ""), ("http://a#b", "http", "a", 80, ""),
      ("http://a?b", "http", "a", 80, "/?b"), ("https://[2001:DB8::1]:8443/", "https", "[2001:db8::1]", 8443, "/"),
      ("https://[::1]", "https", "[::1]", 443, ""), ("https://a/@b", "https", "a", 443, "/@b"),
    ])
  func parts(_ text: String, _ scheme: String, _ host: String, _ port: Int, _ target: String) throws {
    let url = try #require(WebURL(text))
    #expect(url.scheme == scheme)
    #expect(url.host == host)
    #expect(url.port == port)
    #expect(url.target == target)
  }

  @Test(
    "URLs have the same origin if scheme, host and port are equal, ignoring case and default ports",
    arguments: [
      ("https://A.example:443/x", "HTTPS://a.example", true), ("https://a.example", "http://a.example", false),
      ("https://a.example", "https://a.example:444", false), ("https://[::1]:1/a", "https://[::1]:1/b", true),
    ])
  func origin(_ first: String, _ second: String, _ isSame: Bool) throws {
    let (first, second) = (try #require(WebURL(first)), try #require(WebURL(second)))
    #expect(first.hasOrigin(of: second) == isSame)
    #expect((first.origin == second.origin) == isSame)
  }

  @Test("The text of a URL's origin has the port only if it is not the default")
  func originText() {
    #expect(WebURL("HTTPS://A.example:443/x")?.origin == "https://a.example")
    #expect(WebURL("http://[::1]:8080/x")?.origin == "http://[::1]:8080")
  }

  @Test(
    "WebURL refuses other schemes, user names, invalid hosts and invalid ports",
    arguments: [
      "", "a", "/a", "//a", "file:///a", "ftp://a", "https:/a", "https://", "https://:80", "https://a:", "https://a:0",
      "https://a:65536", "https://a:x", "https://a:-1", "https://user@a", "https://localhost@a.example/",
      "https://a\\@b", "https://a\\b", "https://a b", "https://a\n", "https://ä", "https://[::1", "https://[::1]x",
      "https://[]",
      "https://[]:1", "https://a[::1]", "https://a:1:2", "https://a:+1", "https://a:000001",
    ])
  func none(_ text: String) {
    #expect(WebURL(text) == nil)
  }

  @Test("WebURL.isSafe is true only for https, and for http on this machine")
  func safety() {
    let safe = [
      "https://a.example", "http://localhost", "http://127.0.0.1:80", "http://127.255.255.254", "http://[::1]:8080/x",
    ]
    for url in safe { #expect(WebURL(url)?.isSafe == true) }
    let unsafe = [
      "http://a.example", "http://127.0.0.1.example", "http://127.1", "http://localhost.example", "http://10.0.0.1",
      "http://127.0.0.256", "http://[::2]",
    ]
    for url in unsafe { #expect(WebURL(url)?.isSafe == false) }
  }
}
