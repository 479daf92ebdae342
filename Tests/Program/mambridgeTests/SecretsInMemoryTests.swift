import Glibc
import JSON
import TestSupport
import Testing

@Suite("Secrets in the server's memory", .timeLimit(.minutes(5)), .ownThreads)
struct SecretsInMemoryTests {
  private static let pin = "4829173650"
  private static let wrongPIN = "9371604825"
  private static let token = "eyJsecretTokenOfTheUser" + String(repeating: "Q7xZ", count: 20) + "end"
  /// Long enough to be lifted out before the parse.
  private static let longToken = "eyJlongToken" + String(repeating: #"k\/W3"#, count: 200) + "end"
  private static let secrets = [
    pin, wrongPIN, "eyJsecretTokenOfTheUser", "Q7xZQ7xZ", "eyJlongToken", #"k\/W3k"#, "k/W3k/W3", grown, besideLong,
  ]
  /// Comes before so many blanks that the memory of the input must grow.
  private static let grown = "6028413975"
  /// Stands beside a string that is lifted out.
  private static let besideLong = "7351928460"
  private static let blanks = String(repeating: " ", count: 300_000)
  private static let alice: JSONValue = "alice@contoso.example"

  private let program = Program()

  /// Lines with secrets, well formed and not. Each gets one reply.
  private static let lines: [String] =
    [request("enrollmentManager.registerAndEnrollAccount", ["account": alice])]
    + (0..<50).map { _ in request("pin.set", ["pin": .string(pin), "account": alice]) }
    + [
      request("pin.change", ["pin": .string(wrongPIN), "newPin": .string(pin), "account": alice]),
      request("pin.reset", ["accessToken": .string(token), "account": alice]),
      #"{"jsonrpc":"2.0","id":1,"method":"pin.reset","params":{"accessToken":"\#(longToken)"}}"#,
      request("conditionalLaunch.answer", ["challenge": "none", "pin": .string(pin)]),
      request("conditionalLaunch.answer", ["challenge": "none", "accessToken": .string(token)]),
      "[\(request("pin.set", ["pin": .string(pin), "account": alice])),\(request("pin.set", ["pin": .string(pin)]))]",
      #"{"jsonrpc":"2.0","id":1,"method":"pin.set","params":{"pin":"\#(grown)","none":\#(blanks)1}}"#,
      // Wrong parameters, what is no JSON, and what no value can hold.
      request("pin.set", ["pn": .string(pin)]), request("pin.set", ["pin": [.string(pin)]]),
      #"{"jsonrpc":"2.0","id":1,"method":"pin.set","params":{"pin":"\#(pin)","pin":"\#(pin)"}}"#,
      #"{"jsonrpc":"2.0","id":1,"method":"pin.set","params":{"pin":"\#(pin)"}"#,
      #"{"jsonrpc":"2.0","id":1,"method":"pin.set","params":{"pin":"\#(pin)"}} \#(token)"#,
      #"{"jsonrpc":"2.0","id":1,"method":"pin.set","params":{"pin":"\#(pin)\ud800"}}"#,
      #"{"jsonrpc":"2.0","id":1,"method":"pin.reset","params":{"accessToken":"\#(longToken)","a":"\#(besideLong)"}}"#,
    ]

  /// A refusal may be on its way before the rest of what it refuses is read and cleared.
  private func expectNone(in server: Subprocess) {
    let memory = ProcessMemory(of: server.identifier)
    for secret in Self.secrets {
      var (places, looks) = (memory.places(of: secret), 1)
      while !places.isEmpty && looks < 10 {
        usleep(50_000)
        (places, looks) = (memory.places(of: secret), looks + 1)
      }
      #expect(places == [], "\(secret)")
    }
  }

  /// So that the search is one that finds: what is no secret stays.
  private func expectSearchFinds(in server: Subprocess) {
    #expect(ProcessMemory(of: server.identifier).places(of: "conditionalLaunch.answer") != [])
  }

  @Test("Requests over standard input leave no PIN or token in the server's memory")
  func stdio() throws {
    let server = try program.start()
    for line in Self.lines {
      server.write(line + "\n")
      #expect(try !server.readLine().isEmpty)
    }
    expectNone(in: server)
    expectSearchFinds(in: server)
  }

  @Test("Queued requests and a request over the limit leave no PIN or token in the server's memory")
  func waiting() throws {
    let server = try program.start(["--limit", "message=2000"])
    let long = request("pin.set", ["pin": .string(Self.pin + String(repeating: "x", count: 3000))])
    let lines = Self.lines.filter { $0.utf8.count < 2000 } + [long]
    server.write(lines.joined(separator: "\n") + "\n")
    for _ in lines { #expect(try !server.readLine().isEmpty) }
    expectNone(in: server)
  }

  @Test("The host's answers leave no PIN or token in the server's memory")
  func answers() throws {
    let server = try program.start()
    _ = try server.ask("enrollmentManager.registerAndEnrollAccount", ["account": Self.alice])
    let answers: [String: JSONValue] = [
      "ui.promptForPIN": ["pin": .string(Self.pin)],
      "ui.promptForCredentials": ["userPrincipalName": "bob@contoso.example", "accessToken": .string(Self.token)],
    ]
    let delegates = JSONValue.array(answers.keys.sorted().map { .string($0) })
    server.write(request("initialize", ["delegates": delegates]) + "\n")
    #expect(try server.readLine().contains("result"))
    server.write(request("conditionalLaunch.evaluate", ["account": Self.alice], id: 2) + "\n")
    server.write(request("enrollmentManager.loginAndEnrollAccount", ["account": .null], id: 3) + "\n")
    var (asked, answered) = (Set<String>(), 0)
    while answered < 2 {
      let message = try JSONValue(parsing: server.readLine())
      guard let method = message["method"]?.stringValue else {
        answered += 1
        continue
      }
      asked.insert(method)
      let reply: JSONValue = ["jsonrpc": "2.0", "id": message["id"] ?? .null, "result": answers[method] ?? .null]
      server.write(reply.jsonText + "\n")
    }
    #expect(asked == Set(answers.keys))
    expectNone(in: server)
  }

  @Test(
    "An access token from the host leaves no copy in the server's memory, accepted or refused")
  func enrollmentTokens() throws {
    let server = try program.start()
    server.write(request("initialize", ["delegates": ["enrollmentDelegate.getAccessToken"]]) + "\n")
    #expect(try server.readLine().contains("result"))
    let answers: [(JSONObject, Int64)] = [
      (["accessToken": .string(Self.token), "identity": "bob@contoso.example"], 203),
      (["accessToken": .string(Self.token), "identity": Self.alice, "none": .string(Self.pin)], 203),
      (["accessToken": .string(Self.token), "error": .string(Self.token)], 203),
      (["accessToken": .string(Self.token), "identity": Self.alice], 100),
    ]
    let statuses = try answers.enumerated().map { index, answer -> Int64? in
      let method = index == 0 ? "enrollmentManager.registerAndEnrollAccount" : "tenant.checkIn"
      server.write(request(method, ["account": Self.alice]) + "\n")
      let question = try JSONValue(parsing: server.readLine())
      let reply: JSONValue = ["jsonrpc": "2.0", "id": question["id"] ?? .null, "result": .object(answer.0)]
      server.write(reply.jsonText + "\n")
      #expect(try server.readLine().contains("\"result\""))
      let accounts = try server.ask("tenant.status")["result"]?["accounts"]
      return accounts?.arrayValue?.first?["lastStatus"]?["statusCode"]?.integerValue
    }
    #expect(statuses == answers.map { $0.1 })
    expectNone(in: server)
  }

  @Test("A token that --token-command prints leaves no copy in the server's memory")
  func tokenCommand() throws {
    program.folder.write(
      """
      {"tenantId": "t", "users": [{"userPrincipalName": "alice@contoso.example"}],
       "authentication": {"authority": "https://login.example/", "resource": "r", "scopes": ["s"]}}
      """, to: "tenant/tenant.json")
    program.folder.write(
      ##"{"@odata.type": "#microsoft.graph.iosManagedAppProtection", "id": "T_1", "pinRequired": true}"##,
      to: "tenant/policies/ios.json")
    program.folder.write("echo '{\"accessToken\": \"\(Self.token)\"}'", to: "give")
    let server = try Subprocess(
      Program.path,
      [
        "--state", program.state, "--tenant", program.folder.file("tenant"), "--token-command",
        "/bin/sh '\(program.folder.file("give"))'",
      ])
    let status = try server.ask("enrollmentManager.registerAndEnrollAccount", ["account": Self.alice])["result"]
    #expect(status?["statusCode"] == 100)
    expectNone(in: server)
  }

  @Test("Requests over TCP and unix sockets leave no secret in memory", arguments: ["tcp://127.0.0.1:0", "unix"])
  func sockets(_ kind: String) throws {
    let path = program.folder.file("run/bridge")
    let server = try program.start(["--listen", kind == "unix" ? "unix://" + path : kind])
    let (port, token) = try listening(server)
    let client = try kind == "unix" ? RawConnection(path: path) : RawConnection(port: port)
    if kind != "unix" {
      client.write(request("authenticate", ["token": .string(token)]) + "\n")
      #expect(client.read(until: "\n").contains("null"))
    }
    for line in Self.lines {
      client.write(line + "\n")
      #expect(!client.read(until: "\n").isEmpty)
    }
    expectNone(in: server)
    expectSearchFinds(in: server)
  }

  @Test("An incomplete message or one with a broken header leaves no PIN in the server's memory")
  func cut() throws {
    let path = program.folder.file("run/bridge")
    let server = try program.start(["--listen", "unix://" + path])
    _ = try listening(server)
    let line = request("pin.set", ["pin": .string(Self.pin), "account": Self.alice])
    for text in ["\(line.dropLast(2))", "Content-Length: 9999\r\n\r\n\(line)", "Content-Length: x\r\n\r\n\(line)"] {
      let client = try RawConnection(path: path)
      client.write(text)
      client.endOutput()
      #expect(client.read(until: "nothing").contains("-32700"))
    }
    expectNone(in: server)
  }

  @Test("Requests over HTTP leave no PIN or token in the server's memory")
  func http() throws {
    let server = try program.start(["--listen", "http://127.0.0.1:0"])
    let (port, token) = try listening(server)
    let client = try RawConnection(port: port)
    for line in Self.lines {
      let head = [
        "POST /rpc HTTP/1.1", "Host: 127.0.0.1:\(port)", "Authorization: Bearer \(token)",
        "Content-Type: application/json", "Content-Length: \(line.utf8.count)", "", "",
      ]
      // Apart, and in one piece.
      for pieces in [[head.joined(separator: "\r\n"), line], [head.joined(separator: "\r\n") + line]] {
        for piece in pieces { client.write(piece) }
        #expect(client.read(until: "}").contains("200 OK"))
      }
    }
    expectNone(in: server)
    expectSearchFinds(in: server)
  }

  @Test("Requests that HTTP refuses leave no PIN in the server's memory")
  func refused() throws {
    let server = try program.start(["--listen", "http://127.0.0.1:0"])
    let (port, token) = try listening(server)
    let line = request("pin.set", ["pin": .string(Self.pin), "account": Self.alice])
    let common = ["Host: 127.0.0.1:\(port)", "Content-Length: \(line.utf8.count)"]
    let (bearer, json) = ("Authorization: Bearer \(token)", "Content-Type: application/json")
    let heads = [
      ["POST /rpc HTTP/1.1", json], ["POST /other HTTP/1.1", bearer, json],
      ["POST /rpc HTTP/1.1", bearer, "Content-Type: text/plain"],
    ]
    for head in heads {
      let client = try RawConnection(port: port)
      client.write((head + common + ["", ""]).joined(separator: "\r\n") + line)
      #expect(client.read(until: "\r\n\r\n").contains("HTTP/1.1 4"))
    }
    let cut = try RawConnection(port: port)
    cut.write((["POST /rpc HTTP/1.1", bearer, json] + common + ["", ""]).joined(separator: "\r\n") + line.dropLast(2))
    cut.endOutput()
    _ = cut.read(until: "nothing")
    expectNone(in: server)
    expectSearchFinds(in: server)
  }

  /// The port and the token of a server, once it listens.
  private func listening(_ server: Subprocess) throws -> (port: Int, token: String) {
    let line = try JSONValue(parsing: server.readErrorLine())
    let address = try #require(line["listening"]?.stringValue)
    let token = line["tokenFile"]?.stringValue.flatMap { readFile($0) } ?? []
    let port = address.split(separator: ":").last.flatMap { Int($0) }
    return (port ?? 0, String(decoding: token.prefix(64), as: UTF8.self))
  }
}
