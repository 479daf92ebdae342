#if TenantService
  import HTTP
  import Support
  import TestCertificates
  import TestSupport
  import Testing

  @testable import HTTPNetwork

  @Suite(.serialized, .timeLimit(.minutes(5)))
  struct NetworkClientTests {
    struct Mistrust: Sendable, CustomTestStringConvertible {
      let testDescription: String
      var host = "DNS:localhost,IP:127.0.0.1"
      var days: Int64 = 0
      var trustsAnother = false
      let words: String
    }

    @Test(arguments: [
      Mistrust(testDescription: "wrong name", host: "DNS:other.example", words: "is for another name than 127.0.0.1"),
      Mistrust(testDescription: "expired", days: -10, words: "has expired on"),
      Mistrust(testDescription: "not yet valid", days: 10, words: "is valid from"),
      Mistrust(testDescription: "untrusted", trustsAnother: true, words: "is not signed by the authorities in"),
    ])
    func saysWhyAServerIsNotTrusted(mistrust: Mistrust) async throws {
      let chain = try TestChain.local(host: mistrust.host, days: mistrust.days)
      let server = try await TestServer(chain) { _ in HTTPResponse(200) }
      let client = try server.client(trusting: mistrust.trustsAnother ? TestChain.local() : chain)
      let failure = await client.failure(HTTPRequest("GET", server.url + "/"))
      #expect(failure?.kind == .notTrusted)
      #expect(failure?.text.contains(mistrust.words) == true, "\(failure?.text ?? "")")
      await server.end()
    }

    @Test(arguments: [
      ("http://contoso.example/", HTTPFailure.Kind.badURL), ("ftp://127.0.0.1/", .badURL), ("nonsense", .badURL),
      ("https://user@127.0.0.1/", .badURL), ("https://no-such-host.invalid/", .cannotConnect),
    ])
    func refusesURLsThatItCannotOrMustNotUse(url: String, kind: HTTPFailure.Kind) async throws {
      #expect(try await NetworkClient().failure(HTTPRequest("GET", url))?.kind == kind)
    }

    @Test func saysThatNothingListens() async throws {
      let server = try await TestServer(nil) { _ in HTTPResponse(200) }
      let url = server.url
      await server.end()
      let failure = try await NetworkClient().failure(HTTPRequest("GET", url + "/"))
      #expect(failure?.kind == .cannotConnect)
      #expect(failure?.text.contains("connection refused; nothing listens on port") == true, "\(failure?.text ?? "")")
    }

    @Test(arguments: [
      ("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\ncut", HTTPFailure.Kind.cutOff),
      ("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\ncut", .cutOff), ("", .cutOff),
      ("rubbish\r\n\r\n", .cutOff), ("HTTP/1.1 200 OK\r\nContent-Length: 2000\r\n\r\n", .tooLarge),
    ])
    func saysThatAResponseIsBroken(text: String, kind: HTTPFailure.Kind) async throws {
      let server = RawServer { connection in
        _ = connection.receive(until: "\r\n\r\n")
        connection.send(text)
      }
      let failure = try await NetworkClient().failure(HTTPRequest("GET", server.url), largestBody: 1999)
      #expect(failure?.kind == kind, "\(failure?.text ?? "")")
    }

    @Test(arguments: ["", "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nslow"])
    func givesUpWhenTheTimeIsUp(text: String) async throws {
      let server = RawServer(closes: false) { connection in connection.send(text) }
      let failure = try await NetworkClient().failure(HTTPRequest("GET", server.url), patience: .milliseconds(300))
      #expect(failure == HTTPFailure(.late, "\(server.url) did not answer within 0.3 s. Try again later."))
    }

    @Test func endsTheRequestWhenItsTaskIsCancelled() async throws {
      let (started, cancelled) = (Lock(false), Lock(false))
      let server = try await TestServer(nil) { _ in
        started.withLock { $0 = true }
        do { try await Task.sleep(for: .seconds(60)) } catch { cancelled.withLock { $0 = true } }
        return HTTPResponse(200)
      }
      let client = try NetworkClient()
      let request = HTTPRequest("GET", server.url + "/")
      let task = Task { await client.failure(request) }
      #expect(await eventually { started.withLock { $0 } })
      task.cancel()
      #expect(await task.value?.kind == .cancelled)
      #expect(await eventually { cancelled.withLock { $0 } })
      await server.end()
    }

    @Test func doesNotFollowRedirects() async throws {
      let server = try await TestServer(nil) { _ in HTTPResponse(307, headers: HTTPHeaders(["Location": "/other"])) }
      let response = try await NetworkClient().outcome(HTTPRequest("GET", server.url + "/")).get()
      #expect(response.status == 307)
      await server.end()
    }

    @Test func showsUntilWhenACertificateIsValidButNotAroundAProxy() async throws {
      let chain = try TestChain.local()
      let server = try await TestServer(chain) { _ in HTTPResponse(200) }
      let direct = try server.client(trusting: chain)
      let url = try #require(WebURL(server.url))
      #expect(await direct.certificateEnd(of: url, patience: .seconds(10)) ?? .earliestText > SystemClock().now)
      await server.end()
      var settings = ClientSettings()
      settings.proxy = try ProxyAddress("http://127.0.0.1:1", from: "--proxy")
      let proxied = try NetworkClient(settings)
      let away = try #require(WebURL("https://192.0.2.1/"))
      let start = ContinuousClock.now
      #expect(await proxied.certificateEnd(of: away, patience: .seconds(60)) == nil)
      #expect(ContinuousClock.now - start < .soon)
    }

    @Test(arguments: [Duration.milliseconds(100), .zero, .seconds(-1)])
    func looksAtACertificateNoLongerThanThePatience(patience: Duration) async throws {
      let silent = RawServer(closes: false) { _ in }
      let url = try #require(WebURL(silent.url.replacing("http:", with: "https:")))
      let failure = HTTPFailure(.notTrusted, "the handshake failed")
      let start = ContinuousClock.now
      let diagnosis = CertificateDiagnosis(url, .makeClientConfiguration(), patience: patience)
      #expect(await diagnosis.explained(failure) == failure)
      #expect(ContinuousClock.now - start < .soon)
    }

    @Test func refusesAFileWithoutAuthorities() throws {
      let folder = TemporaryFolder(inMemory: true)
      var settings = ClientSettings()
      for path in [folder.write("nonsense", to: "ca.pem"), folder.file("missing")] {
        settings.trustedFile = path
        #expect(throws: NetworkError.self) { try NetworkClient(settings) }
      }
    }

    @Test func goesThroughTheProxyWithItsUser() async throws {
      let received = Lock("")
      let proxy = RawServer { connection in
        let text = connection.receive(until: "\r\n\r\n")
        received.withLock { $0 = text }
        connection.send("HTTP/1.1 407 Proxy Authentication Required\r\nContent-Length: 0\r\n\r\n")
      }
      var settings = ClientSettings()
      settings.proxy = try ProxyAddress("http://me:p%40ss@127.0.0.1:\(proxy.port)", from: "--proxy")
      let failure = try await NetworkClient(settings).failure(HTTPRequest("GET", "https://contoso.example/"))
      #expect(failure?.kind == .cannotConnect)
      #expect(failure?.text.contains("asks for a user") == true, "\(failure?.text ?? "")")
      let text = received.withLock { $0 }
      #expect(text.lowercased().hasPrefix("connect contoso.example:443 http/1.1\r\n"))
      #expect(text.contains("bWU6cEBzcw=="))  // me:p@ss
    }
  }
#endif
