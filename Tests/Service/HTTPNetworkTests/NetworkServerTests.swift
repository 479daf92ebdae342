#if TenantService
  import HTTP
  import HTTPServer
  import Support
  import TestCertificates
  import TestSupport
  import Testing

  @testable import HTTPNetwork

  @Suite(.serialized, .ownThreads, .timeLimit(.minutes(5)))
  struct NetworkServerTests {
    @Test func handsOnTheRequestAsItCameAndSendsTheResponse() async throws {
      let chain = try TestChain.local()
      let server = try await TestServer(chain) { request in
        HTTPResponse(
          201,
          headers: HTTPHeaders([
            "X-Method": request.method, "X-Target": request.url, "X-Tag": request.headers["x-TAG"] ?? "",
          ]), body: request.body)
      }
      let client = try server.client(trusting: chain)
      let target = "/v1.0/a%2Fb?%24top=5&q=%C3%A4"
      for body in ["", "hello"] {
        let response = try await client.outcome(
          HTTPRequest("POST", server.url + target, headers: HTTPHeaders(["X-Tag": "t"]), body: Array(body.utf8))
        ).get()
        #expect(response.status == 201)
        #expect(response.headers["X-Target"] == target)
        #expect(response.headers["X-Method"] == "POST")
        #expect(response.headers["X-Tag"] == "t")
        #expect(response.headers["Date"].flatMap(Timestamp.init(httpDate:)) != nil)
        #expect(String(decoding: response.body, as: UTF8.self) == body)
      }
      await server.end()
    }

    struct Abuse: Sendable, CustomTestStringConvertible {
      let testDescription: String
      let text: String
      /// What the answer begins with; empty if there is none.
      let answer: String
    }

    @Test(arguments: [
      Abuse(
        testDescription: "a length over the limit",
        text: "POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 2000\r\n\r\n", answer: "HTTP/1.1 413 "),
      Abuse(
        testDescription: "chunks over the limit",
        text: "POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n7d0\r\n"
          + String(repeating: "x", count: 2000) + "\r\n", answer: "HTTP/1.1 413 "),
      Abuse(
        testDescription: "a body that does not come",
        text: "POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 10\r\n\r\nslow", answer: "HTTP/1.1 408 "),
      Abuse(testDescription: "no HTTP", text: "GET nonsense\r\n\r\n", answer: "HTTP/1.1 400 "),
      Abuse(
        testDescription: "a header over the limit",
        text: "GET / HTTP/1.1\r\nHost: h\r\nX: \(String(repeating: "x", count: 40_000))\r\n\r\n",
        answer: "HTTP/1.1 4"),
      Abuse(testDescription: "a header that does not end", text: "GET / HTTP/1.1\r\nHo", answer: ""),
      Abuse(testDescription: "silence", text: "", answer: ""),
    ])
    func refusesAbuseAndCloses(abuse: Abuse) async throws {
      var limits = ServerLimits()
      limits.bodyBytes = 1999
      limits.bodyPatience = .milliseconds(200)
      limits.headerPatience = .milliseconds(300)
      let server = try await TestServer(nil, limits: limits) { _ in HTTPResponse(200) }
      let connection = RawConnection(port: server.port)
      connection.send(abuse.text)
      let received = connection.receive()
      #expect(received.hasPrefix(abuse.answer))
      #expect(received.isEmpty == abuse.answer.isEmpty)
      await server.end()
    }

    @Test(
      "The server refuses requests that could be read in two ways and reads nothing after them",
      arguments: AmbiguousRequest.all)
    func refusesAmbiguity(request: AmbiguousRequest) async throws {
      let answers = Lock(0)
      let server = try await TestServer(nil) { _ in
        answers.withLock { $0 += 1 }
        return HTTPResponse(200)
      }
      let connection = RawConnection(port: server.port)
      connection.send(request.text(target: "/", fields: "Host: h\r\n"))
      connection.endOutput()
      let received = connection.receive()
      let status = received.dropFirst("HTTP/1.1 ".count).prefix(3)
      #expect(Int(status).map(request.statuses.contains) == true)
      #expect(received.occurrences(of: "HTTP/1.") == 1)
      #expect(answers.withLock { $0 } == 0)
      await server.end()
    }

    @Test("A client that is still sending a body that is too large receives the 413")
    func refusesABodyThatIsStillComing() async throws {
      var limits = ServerLimits()
      limits.bodyBytes = 1999
      let server = try await TestServer(nil, limits: limits) { _ in HTTPResponse(200) }
      let connection = RawConnection(port: server.port)
      let body = String(repeating: "x", count: 300_000)
      connection.send("POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 300000\r\n\r\n" + body)
      #expect(connection.receive().hasPrefix("HTTP/1.1 413 "))
      await server.end()
    }

    @Test func servesURLsAndChunksWithExtensions() async throws {
      let server = try await TestServer(nil) { HTTPResponse(200, body: Array("\($0.url) ".utf8) + $0.body) }
      for (text, body) in [
        ("GET http://other.example/a?b HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n", "/a?b "),
        ("GET HTTPS://other.example HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n", "/ "),
        (
          "POST /c HTTP/1.1\r\nHost: h\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n\r\n"
            + "2;x=\"y z\"\r\nok\r\n0;z\r\n\r\n", "/c ok"
        ),
        (
          "POST /d HTTP/1.1\r\nHost: h\r\nConnection: close\r\nContent-Encoding: identity\r\nContent-Length: 2\r\n\r\nok",
          "/d ok"
        ),
      ] {
        let connection = RawConnection(port: server.port)
        connection.send(text)
        #expect(connection.receive().hasSuffix("\r\n\r\n" + body))
      }
      await server.end()
    }

    @Test func keepsConnectionsThatHaveProvedWhoTheyAreAndDisplacesIdleStrangers() async throws {
      let slots = SharedSlots(connections: 4, ofAddress: 3)
      let server = try await TestServer(nil, slots: slots) { request in
        if request.url == "/known" { request.didProve() }
        return HTTPResponse(200, body: Array(request.url.utf8))
      }
      let known = (0..<3).map { _ in
        let connection = RawConnection(port: server.port)
        connection.send("GET /known HTTP/1.1\r\nHost: h\r\n\r\n")
        _ = connection.receive(until: "\r\n/known")
        return connection
      }
      let first = RawConnection(port: server.port)
      #expect(await eventually { slots.counts == (open: 4, unauthenticated: 1) })
      let strangers = (0..<40).map { _ in RawConnection(port: server.port) }
      #expect(first.receive() == "")
      // The last of the others may displace it, until all of them are in.
      var health = ""
      for _ in strangers where health.isEmpty {
        let connection = RawConnection(port: server.port)
        connection.send("GET /health HTTP/1.1\r\nHost: h\r\n\r\n")
        health = connection.receive(until: "\r\n/health")
      }
      #expect(health.hasPrefix("HTTP/1.1 200 "))
      for connection in known {
        connection.send("GET /again HTTP/1.1\r\nHost: h\r\n\r\n")
        #expect(connection.receive(until: "\r\n/again").hasPrefix("HTTP/1.1 200 "))
      }
      #expect(slots.counts.unauthenticated <= 3)
      #expect(slots.counts.open == slots.counts.unauthenticated + 3)
      await server.end()
    }

    @Test func keepsAConnectionForFurtherRequestsUntilItIsIdle() async throws {
      var limits = ServerLimits()
      limits.idlePatience = .milliseconds(200)
      let server = try await TestServer(nil, limits: limits) { HTTPResponse(200, body: Array($0.url.utf8)) }
      let connection = RawConnection(port: server.port)
      connection.send("GET /one HTTP/1.1\r\nHost: h\r\n\r\nGET http://h/two HTTP/1.1\r\nHost: h\r\n\r\n")
      #expect(connection.receive(until: "\n/two").contains("/one"))
      #expect(connection.receive() == "")
      await server.end()
    }

    @Test func answersNoFurtherRequestOfAClientThatDoesNotReadAndClosesTheConnection() async throws {
      var limits = ServerLimits()
      limits.writePatience = .milliseconds(500)
      let answers = Lock(0)
      let server = try await TestServer(nil, limits: limits) { _ in
        answers.withLock { $0 += 1 }
        return HTTPResponse(200, body: [UInt8](repeating: 0, count: 1 << 20))
      }
      let connection = RawConnection(port: server.port)
      let requests = String(repeating: "GET / HTTP/1.1\r\nHost: h\r\n\r\n", count: 150)
      connection.send(requests)
      #expect(await eventually { answers.withLock { $0 } > 0 })
      connection.send(requests)
      #expect(connection.isReset())
      // The kernel keeps some megabytes for both sides.
      #expect(answers.withLock { $0 } < 50)
      await server.end()
    }

    @Test func answersAllRequestsOfAClientThatReads() async throws {
      let server = try await TestServer(nil) { HTTPResponse(200, body: Array("\($0.url);".utf8)) }
      let connection = RawConnection(port: server.port)
      let paths = (1...300).map { "/\($0)" }
      connection.send(paths.map { "GET \($0) HTTP/1.1\r\nHost: h\r\n\r\n" }.joined())
      let received = connection.receive(until: "/300;")
      let bodies = received.split(separator: "\r\n").compactMap { line in
        line.hasPrefix("/") ? line.prefix { $0 != ";" } : nil
      }
      #expect(bodies.map(String.init) == paths)
      await server.end()
    }

    @Test func saysThatABodyMayCome() async throws {
      let server = try await TestServer(nil) { HTTPResponse(200, body: $0.body) }
      let connection = RawConnection(port: server.port)
      connection.send("POST / HTTP/1.1\r\nHost: h\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\n")
      #expect(connection.receive(until: "\r\n\r\n") == "HTTP/1.1 100 Continue\r\n\r\n")
      connection.send("ok")
      #expect(connection.receive(until: "\r\n\r\nok").hasPrefix("HTTP/1.1 200 OK\r\n"))
      await server.end()
    }

    @Test func sendsNoBodyForHEAD() async throws {
      let server = try await TestServer(nil) { _ in HTTPResponse(200, body: Array("hidden".utf8)) }
      let connection = RawConnection(port: server.port)
      connection.send("HEAD / HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n")
      let received = connection.receive()
      #expect(received.contains("Content-Length: 6\r\n"))
      #expect(received.hasSuffix("\r\n\r\n"))
      await server.end()
    }

    /// A long poll is not slow: no patience applies while the responder works.
    @Test func cancelsTheResponderWhenTheClientGoesAway() async throws {
      let (isOpen, wasCancelled) = (Lock(false), Lock(false))
      var limits = ServerLimits()
      let patience = Duration.milliseconds(50)
      (limits.headerPatience, limits.bodyPatience, limits.idlePatience) = (patience, patience, patience)
      let server = try await TestServer(nil, limits: limits) { _ in
        isOpen.withLock { $0 = true }
        do { try await Task.sleep(for: .seconds(60)) } catch { wasCancelled.withLock { $0 = true } }
        return HTTPResponse(200)
      }
      var connection: RawConnection? = RawConnection(port: server.port)
      connection?.send("GET /poll HTTP/1.1\r\nHost: h\r\n\r\n")
      #expect(await eventually { isOpen.withLock { $0 } })
      try await Task.sleep(for: patience * 3)
      #expect(!wasCancelled.withLock { $0 })
      connection = nil
      #expect(await eventually { wasCancelled.withLock { $0 } })
      await server.end()
    }

    @Test func endsWithTheAnswersOfOpenPollsAndRunningRequests() async throws {
      let gate = Gate()
      let started = Lock(0)
      let server = try await TestServer(nil, willEnd: { gate.open() }) { request in
        started.withLock { $0 += 1 }
        await gate.wait()
        return HTTPResponse(200, body: Array(request.url.utf8))
      }
      let connections = [RawConnection(port: server.port), RawConnection(port: server.port)]
      let idle = RawConnection(port: server.port)
      for connection in connections { connection.send("GET /poll HTTP/1.1\r\nHost: h\r\n\r\n") }
      await expectEventually(2) { started.withLock { $0 } }
      let end = server.beginEnd()
      for connection in connections { #expect(connection.receive().hasSuffix("\r\n\r\n/poll")) }
      #expect(idle.receive() == "")
      await end?.value
      #expect(server.lines == [])
    }

    @Test func givesUpOnRequestsThatDoNotEnd() async throws {
      var limits = ServerLimits()
      limits.endPatience = .milliseconds(200)
      let started = Lock(false)
      let server = try await TestServer(nil, limits: limits) { _ in
        started.withLock { $0 = true }
        try? await Task.sleep(for: .seconds(60))
        return HTTPResponse(200)
      }
      let connection = RawConnection(port: server.port)
      connection.send("GET /poll HTTP/1.1\r\nHost: h\r\n\r\n")
      #expect(await eventually { started.withLock { $0 } })
      await server.end()
      #expect(connection.receive() == "")
    }

    @Test("A client that does not read its answer delays the end of the server only for the grace period")
    func givesUpOnAClientThatDoesNotRead() async throws {
      var limits = ServerLimits()
      (limits.endPatience, limits.writePatience) = (.milliseconds(200), .seconds(3600))
      let server = try await TestServer(nil, limits: limits) { _ in
        HTTPResponse(200, body: [UInt8](repeating: 0, count: 32 << 20))
      }
      let connection = RawConnection(port: server.port)
      connection.send("GET / HTTP/1.1\r\nHost: h\r\n\r\n")
      #expect(connection.receive(until: "\r\n\r\n").hasPrefix("HTTP/1.1 200 "))
      await server.end()
      #expect(connection.isReset())
    }

    @Test func usesAnotherCertificateWhenTheFilesChangeAndKeepsTheOldOneIfTheyAreBroken() async throws {
      let (first, second) = (try TestChain.local(), try TestChain.local())
      let server = try await TestServer(first) { _ in HTTPResponse(204) }
      let request = HTTPRequest("GET", server.url + "/")
      server.folder.write("nonsense", to: "server.pem")
      #expect(await eventually { server.lines.contains { $0.contains("the old one stays in use") } })
      #expect(try await server.client(trusting: first).outcome(request).get().status == 204)
      server.write(second)
      #expect(await eventually { server.lines.contains { $0.contains("new connections get the new one") } })
      #expect(try await server.client(trusting: second).outcome(request).get().status == 204)
      #expect(try await server.client(trusting: first).failure(request)?.kind == .notTrusted)
      await server.end()
    }

    @Test func saysWhyItCannotListen() async throws {
      let server = try await TestServer(nil) { _ in HTTPResponse(200) }
      let responder = TestResponder { _ in HTTPResponse(200) }
      let other = NetworkServer([.init(try ServerAddress(server.url), responder: responder)]) { _ in }
      await #expect(
        throws: NetworkError(
          .cannotListen,
          "Cannot listen on \(server.url): another program listens there. Stop that program, or use another port.")
      ) { try await other.run() }
      await server.end()
    }

    @Test("If one listener cannot listen, the server ends all of them", arguments: [0, 1])
    func endsAllListenersIfOneCannotListen(index: Int) async throws {
      let server = try await TestServer(nil) { _ in HTTPResponse(200) }
      var urls = ["http://127.0.0.1:0", "http://127.0.0.1:0"]
      urls[index] = server.url
      let responder = TestResponder { _ in HTTPResponse(200) }
      var other = NetworkServer(try urls.map { .init(try ServerAddress($0), responder: responder) }) { _ in }
      other.endsAtSignals = false
      let running = other
      let error = await #expect(throws: NetworkError.self) { try await running.run() }
      #expect(error?.kind == .cannotListen)
      await server.end()
    }

    @Test(arguments: [
      ("https://0.0.0.0:443", true), ("https://[::]:443", true), ("http://127.0.0.1:0", true),
      ("http://[::1]:80", true), ("http://0.0.0.0:80", false), ("http://10.0.0.1:80", false),
      ("https://contoso.example:443", false), ("https://0.0.0.0:443/path", false), ("https://0.0.0.0:70000", false),
      ("tcp://127.0.0.1:1", false), ("443", false),
    ])
    func listensOnNumericAddressesWithoutTLSOnlyOnLoopback(text: String, isAllowed: Bool) {
      #expect(((try? ServerAddress(text)) != nil) == isAllowed)
    }

    @Test("A certificate is read again only when its file or its key's file changes")
    func reloads() throws {
      let folder = TemporaryFolder(inMemory: true)
      let chain = try TestChain.local()
      let path = folder.write(chain.presentedText, to: "server.pem")
      let key = folder.write(chain.leaf.key.text, to: "server.key")
      let certificate = try ServerCertificate(certificatePath: path, keyPath: key)
      #expect(try !certificate.reloadIfChanged())
      folder.write(chain.leaf.key.text + "\n", to: "server.key")
      #expect(try certificate.reloadIfChanged(), "the key has changed")
      #expect(try !certificate.reloadIfChanged())
      folder.write(chain.presentedText + "\n", to: "server.pem")
      #expect(try certificate.reloadIfChanged(), "the certificate has changed")
      #expect(try !certificate.reloadIfChanged())
    }

    @Test func refusesAKeyOfAnotherCertificate() throws {
      let folder = TemporaryFolder(inMemory: true)
      let (chain, other) = (try TestChain.local(), try TestChain.local())
      let path = folder.write(chain.presentedText, to: "server.pem")
      let key = folder.write(other.leaf.key.text, to: "server.key")
      #expect(
        throws: NetworkError(
          .configuration, "The private key in \(key) does not belong to the certificate in \(path).")
      ) { try ServerCertificate(certificatePath: path, keyPath: key) }
    }
  }

  extension String {
    /// How often a text occurs.
    fileprivate func occurrences(of text: String) -> Int { ranges(of: text).count }
  }
#endif
