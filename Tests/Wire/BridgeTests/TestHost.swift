import JSON
import JSONRPC
import Support
import TestSupport
import Testing

@testable import Bridge
@testable import MAM
@testable import Tenancy

/// A host: one connection to a bridge over a core of its own, on a manual clock.
final class TestHost {
  static let alice = "alice@contoso.example"
  static let start = Timestamp(milliseconds: 1_780_000_000_000)

  let folder: TemporaryFolder
  let clock = ManualClock(startingAt: TestHost.start)
  let bridge: Bridge
  /// Kept, for it is gone with its owner.
  private let tenantFolder: TenantFolder?
  private let session: Session
  private let wakeUp = Semaphore()

  /// `flags` are settings as `--set` takes them; `state` names the state folder inside `folder`.
  init(
    _ tenant: TenantLocation = .sample, tenantFolder: TenantFolder? = nil, flags: [String] = [],
    folder: TemporaryFolder = TemporaryFolder(), state: String = "state", appId: String = "com.example.test",
    questionTimeout: Duration = .seconds(60), searchTime: Duration = .seconds(60), sandbox: Sandbox? = nil,
    onShutdown: @escaping @Sendable () -> Void = {},
    configure: (inout CoreConfiguration) -> Void = { _ in }
  ) throws {
    self.folder = folder
    self.tenantFolder = tenantFolder
    var settings = Settings()
    for flag in flags { try settings.set(flag: flag) }
    var configuration = CoreConfiguration(
      stateFolder: StateFolder(root: folder.file(state), appId: appId), tenant: tenant, settings: settings,
      clock: clock)
    if let sandbox { configuration.source = FaultySource(tenant, sandbox.faults, clock) }
    configure(&configuration)
    bridge = Bridge(
      core: Core(configuration), version: "1.2.3", questionTimeout: questionTimeout, searchTime: searchTime,
      sandbox: sandbox, onShutdown: onShutdown)
    session = Session(handler: bridge.connect()) { [wakeUp] in wakeUp.signal() }
  }

  /// A host of a tenant folder.
  convenience init(tenantFolder: TenantFolder, flags: [String] = []) throws {
    try self.init(.folder(tenantFolder.path), tenantFolder: tenantFolder, flags: flags)
  }

  /// Its application is about to restart already: the first policy of an account tells nothing more.
  static func restarting(folder: TemporaryFolder = TemporaryFolder()) throws -> TestHost {
    let host = try TestHost(folder: folder)
    host.makeRestartDue()
    return host
  }

  func makeRestartDue() { _ = bridge.core.parts.memory.restart.becomeDue() }

  /// The reply to one request.
  func reply(_ method: String, _ params: JSONValue?) throws -> JSONValue {
    try send(method, params).reply
  }

  /// Sends one request, and says whether the reading thread answered it.
  func send(_ method: String, _ params: JSONValue?) throws -> (reply: JSONValue, isAtOnce: Bool) {
    var request: JSONObject = ["jsonrpc": "2.0", "id": 1, "method": .string(method)]
    request["params"] = params
    Array((request.jsonText + "\n").utf8).withUnsafeBytes { session.receive($0) }
    let isAtOnce = session.hasOutput
    while !session.hasOutput {
      wakeUp.wait()
      session.run()
    }
    return (try JSONValue(parsing: session.takeOutput()), isAtOnce)
  }
}

extension TestHost {
  private func replies(to bytes: [UInt8], count: Int) throws -> [JSONValue] {
    bytes.withUnsafeBytes { session.receive($0) }
    var replies: [JSONValue] = []
    while replies.count < count {
      while !session.hasOutput {
        wakeUp.wait()
        session.run()
      }
      let output = session.withOutput { Array($0) }
      session.consumeOutput(output.count)
      expectDeclaredErrors(output)
      replies += try output.split(separator: UInt8(ascii: "\n")).map { try JSONValue(parsing: Array($0)) }
    }
    return replies
  }

  /// Sends requests in one piece and waits for as many replies, none of which may be an error.
  func sendAll(_ requests: [JSONValue]) throws {
    let text = requests.map { $0.jsonText + "\n" }.joined()
    let replies = try replies(to: Array(text.utf8), count: requests.count)
    for reply in replies { #expect(reply["error"] == nil, "\(reply.jsonText)") }
  }

  /// The result of a call, which must fit the method's schema.
  func call(_ method: String, _ params: JSONValue? = nil) throws -> JSONValue {
    let reply = try reply(method, params)
    let result = try #require(reply["result"], "\(method): \(reply.jsonText)")
    let schema = Self.described(method)["result"]?["schema"] ?? .null
    #expect(Self.check.faults(of: result, schema) == [], "\(method): \(result.jsonText)")
    return result
  }

  /// The error of a call, which the method must list under this code and name.
  func error(_ method: String, _ params: JSONValue? = nil) throws -> JSONValue {
    let reply = try reply(method, params)
    let error = try #require(reply["error"], "\(method): \(reply.jsonText)")
    let listed = Self.described(method)["errors"]?.arrayValue ?? Self.document["x-errors"]?.arrayValue ?? []
    let name = error["data"]?["name"]?.stringValue ?? ""
    #expect(listed.contains(.reference(to: "errors", name)), "\(method): \(error.jsonText)")
    #expect(Self.document["components"]?["errors"]?[name]?["code"] == error["code"], "\(method): \(error.jsonText)")
    #expect(error["data"]?["retryable"]?.boolValue != nil)
    return error
  }

  /// Enrolls an account, and gives the status code.
  @discardableResult
  func enroll(_ account: JSONValue = .string(TestHost.alice)) throws -> Int64? {
    try call("enrollmentManager.registerAndEnrollAccount", ["account": account])["statusCode"]?.integerValue
  }

  private static let document = OpenRPC.document(serverVersion: "1.2.3")
  private static let check = SchemaCheck(components: document["components"]?["schemas"]?.objectValue ?? [:])

  private static func described(_ method: String) -> JSONValue {
    document["methods"]?.arrayValue?.first { $0["name"] == .string(method) } ?? .null
  }
}

extension Session {
  /// All there is.
  func takeOutput() -> [UInt8] {
    var output: [UInt8] = []
    while hasOutput {
      let piece = withOutput { Array($0) }
      output += piece
      consumeOutput(piece.count)
    }
    expectDeclaredErrors(output)
    return output
  }
}
