import HTTP
import Support
import Testing

@Suite struct HTTPOriginTests {
  @Test(arguments: [
    ("https://Contoso.Example/a?b", "https://contoso.example"), ("https://c.example:443", "https://c.example"),
    ("HTTP://c.example:8080?x", "http://c.example:8080"), ("https://[::1]:8443/", "https://[::1]:8443"),
    ("https://c.example#x", "https://c.example"),
  ])
  func isTheSameForURLsOfOneServer(url: String, origin: String) {
    #expect(HTTPOrigin(url)?.description == origin)
    #expect(HTTPOrigin(url) == HTTPOrigin(origin))
  }

  @Test(arguments: [
    "", "contoso.example", "ftp://c.example", "https://", "https://user@c.example", "https://c.example:port",
    "https://c.example:70000", "https://c example", "https://[::1", "https://a:b:c", "https://c.example\r\nX: y",
  ])
  func refusesOtherText(text: String) { #expect(HTTPOrigin(text) == nil) }

  @Test(arguments: [
    ("http://localhost", true), ("http://127.0.0.1", true), ("http://127.9.9.9", true), ("http://[::1]", true),
    ("http://128.0.0.1", false), ("http://[::2]", false), ("http://localhost.example", false),
    ("http://127.0.0.1.example", false), ("http://0.0.0.0", false),
  ])
  func knowsThisMachine(url: String, isLoopback: Bool) { #expect(HTTPOrigin(url)?.isLoopback == isLoopback) }
}

@Suite struct HTTPDateTests {
  @Test(arguments: [
    ("Sun, 06 Nov 1994 08:49:37 GMT", "1994-11-06T08:49:37.000Z"), ("Thu, 01 Jan 1970 00:00:00 GMT", "1970-01-01T00:00:00.000Z"),
    ("Wed, 31 Dec 1969 23:59:59 GMT", "1969-12-31T23:59:59.000Z"), ("Tue, 29 Feb 2028 12:00:00 GMT", "2028-02-29T12:00:00.000Z"),
  ])
  func isReadAndWrittenAsHTTPDoes(text: String, time: String) throws {
    let time = try #require(Timestamp(time))
    #expect(HTTPDate.time(text) == time)
    #expect(HTTPDate.text(time) == text)
  }

  @Test(arguments: ["", "Sunday, 06-Nov-94 08:49:37 GMT", "Sun Nov  6 08:49:37 1994", "Sun, 06 Nov 1994 08:49:37 CET"])
  func otherFormsAreNotRead(text: String) { #expect(HTTPDate.time(text) == nil) }

  @Test(arguments: [
    ("120", 120.0), ("0", 0), ("1.5", 1.5), ("Thu, 01 Jan 1970 00:01:00 GMT", 60), ("Wed, 31 Dec 1969 00:00:00 GMT", 0),
    ("1e9", 86_400), ("-5", nil), ("soon", nil), ("nan", nil), (nil, nil),
  ])
  func aWaitIsSecondsOrADate(text: String?, seconds: Double?) {
    var response = HTTPResponse(503)
    response.headers["Retry-After"] = text
    #expect(response.retryAfter(at: Timestamp(milliseconds: 0)) == seconds.map { .seconds($0) })
  }
}

@Suite struct BackoffTests {
  @Test func doublesUpToItsLimitLessAtMostHalf() {
    var backoff = Backoff(from: .seconds(1), upTo: .seconds(10))
    for full in [1.0, 2, 4, 8, 10, 10] {
      let wait = backoff.wait()
      #expect(wait >= .seconds(full / 2) && wait <= .seconds(full))
    }
    backoff.noteSuccess()
    #expect(backoff.wait() <= .seconds(1))
  }

  @Test func isNotBeforeTheServerAllows() {
    var backoff = Backoff()
    #expect(backoff.wait(atLeast: .seconds(77)) == .seconds(77))
  }
}
