import JSON
import TestSupport
import Testing

@testable import Bridge
@testable import MAM

/// How long an account was not used is decided before a window counts as in use, however the host calls.
@Suite("Access checks after idle time", .timeLimit(.minutes(5)), .ownThreads)
struct IdleTimeTests {
  /// How the calls of an app reach the state.
  enum Way: CaseIterable, Sendable { case script, host, processPerCall, twoProcesses, connectionPerCall }

  /// An app, whose calls go the given way. The clock of a new process is that of the machine, which stands still.
  final class App {
    static let user: JSONValue = "listed@fabrikam.example"
    static let account: JSONValue = ["account": user]

    private let tenant = TenantFolder()
    private let folder = TemporaryFolder(inMemory: true)
    private let way: Way
    private var processes: [TestHost] = []
    private var hosts: [EventHost] = []
    private var count = 0

    init(_ policy: String, _ way: Way) throws {
      self.way = way
      write(policy)
      if way != .processPerCall { for _ in 0..<(way == .twoProcesses ? 2 : 1) { processes.append(try process()) } }
      if way == .host {
        hosts = [EventHost(processes[0].bridge)]
        _ = try hosts[0].call("initialize")
      }
      _ = try call("enrollmentManager.registerAndEnrollAccount", Self.account)
    }

    func write(_ policy: String) {
      tenant.write(
        """
        {"@odata.type": "#microsoft.graph.iosManagedAppProtection", "id": "T_listed", "displayName": "Listed", \(policy)}
        """, to: "policies/listed.json")
    }

    func process() throws -> TestHost {
      let process = try TestHost(.folder(tenant.path), folder: folder, configure: { $0.pinStretching.cost = 16 })
      process.makeRestartDue()
      return process
    }

    func call(_ method: String, _ params: JSONValue? = nil) throws -> JSONValue {
      count += 1
      switch way {
      case .script: return try processes[0].call(method, params)
      case .host: return try hosts[0].call(method, params)
      case .processPerCall: return try process().call(method, params)
      case .twoProcesses: return try processes[count % 2].call(method, params)
      case .connectionPerCall: return try EventHost(processes[0].bridge).call(method, params)
      }
    }

    func pass(_ period: JSONValue) throws { _ = try call("debug.advanceClock", ["by": period]) }

    /// The verdict, with the kinds of the open challenges.
    func launch(_ method: String = "conditionalLaunch.didBecomeActive") throws -> [JSONValue?] {
      let launch = try call(method)
      return [launch["verdict"]] + (launch["challenges"]?.arrayValue ?? []).map { $0["kind"] }
    }

    /// Answers the open challenge.
    func answer(_ answer: JSONObject) throws {
      var answer = answer
      let open = try call("conditionalLaunch.evaluate")["challenges"]?.arrayValue?.first
      answer["challenge"] = try #require(open?["id"])
      _ = try call("conditionalLaunch.answer", .object(answer))
    }
  }

  struct Proof: Sendable {
    let policy: String
    let kinds: [JSONValue]
    let answer: JSONObject
  }

  static let proofs = [
    Proof(policy: #""pinRequired": true"#, kinds: ["enterPIN"], answer: ["pin": "2580"]),
    Proof(
      policy: #""organizationalCredentialsRequired": true"#, kinds: ["credentials"], answer: ["accessToken": "t"]),
  ]

  @Test("didBecomeActive blocks after two days without calls, until the user answers", arguments: Way.allCases, proofs)
  func unreported(_ way: Way, _ proof: Proof) throws {
    let app = try App(proof.policy + #", "periodOnlineBeforeAccessCheck": "PT30M""#, way)
    if proof.kinds == ["enterPIN"] {
      _ = try app.call("pin.set", ["account": App.user, "pin": "2580"])
    } else {
      try app.answer(proof.answer)
    }
    try app.pass("PT1M")
    #expect(try app.launch() == ["allow"])
    try app.pass("P2D")
    #expect(try app.launch() == ["block"] + proof.kinds)
    try app.pass("P2D")
    #expect(try app.launch() == ["block"] + proof.kinds, "a window that was not let in is not in use")
    try app.answer(proof.answer)
    #expect(try app.launch() == ["allow"])
    try app.pass("PT29M")
    #expect(try app.launch() == ["allow"])
    try app.pass("PT29M")
    #expect(try app.launch("conditionalLaunch.evaluate") == ["allow"])
    try app.pass("PT30M")
    #expect(try app.launch() == ["block"] + proof.kinds)
  }

  @Test("After two days without use, no first call of a new process counts as use of the account", arguments: proofs)
  func firstCall(_ proof: Proof) throws {
    let app = try App(proof.policy + #", "periodOnlineBeforeAccessCheck": "PT30M""#, .processPerCall)
    if proof.kinds == ["enterPIN"] { _ = try app.call("pin.set", ["account": App.user, "pin": "2580"]) }
    if proof.kinds == ["credentials"] { try app.answer(proof.answer) }
    try app.pass("PT1M")
    #expect(try app.launch() == ["allow"])
    try app.pass("P2D")
    _ = try app.call("conditionalLaunch.didEnterBackground")
    #expect(try app.launch("conditionalLaunch.evaluate") == ["block"] + proof.kinds)
    #expect(try app.call("initialize")["launch"]?["verdict"] == "block")
    let silent: JSONValue = ["account": App.user, "silent": true]
    #expect(try app.call("complianceManager.remediateCompliance", silent) == "interactionRequired")
    #expect(try app.process().error("policyManager.setUIPolicyIdentity", App.account)["code"] == 8001)
    let process = try app.process()
    try process.sendAll([
      ["jsonrpc": "2.0", "id": 1, "method": "conditionalLaunch.didBecomeActive"],
      ["jsonrpc": "2.0", "id": 2, "method": "conditionalLaunch.didEnterBackground"],
    ])
    #expect(try process.call("conditionalLaunch.evaluate")["verdict"] == "block")
  }

  @Test("A PIN that is entered in another process does not make a blocked window count as in use")
  func notLetIn() throws {
    let app = try App(#""pinRequired": true, "periodOnlineBeforeAccessCheck": "PT30M""#, .script)
    _ = try app.call("pin.set", ["account": App.user, "pin": "2580"])
    try app.pass("PT30M")
    #expect(try app.launch() == ["block", "enterPIN"])
    let other = try app.process()
    let open = try other.call("conditionalLaunch.evaluate")["challenges"]?.arrayValue?.first
    _ = try other.call("conditionalLaunch.answer", ["challenge": open?["id"] ?? .null, "pin": "2580"])
    #expect(try other.call("conditionalLaunch.evaluate")["verdict"] == "allow")
    try app.pass("P2D")
    #expect(try app.launch("conditionalLaunch.evaluate") == ["block", "enterPIN"])
  }

  @Test("An account in a foreground window stays in use while other windows become active")
  func foreground() throws {
    let app = try App(#""pinRequired": true, "periodOnlineBeforeAccessCheck": "PT30M""#, .script)
    _ = try app.call("pin.set", ["account": App.user, "pin": "2580"])
    #expect(try app.call("conditionalLaunch.didBecomeActive", ["window": "a"])["verdict"] == "allow")
    try app.pass("PT2H")
    #expect(try app.launch("conditionalLaunch.evaluate") == ["allow"])
    #expect(try app.call("conditionalLaunch.didBecomeActive", ["window": "b"])["verdict"] == "allow")
    try app.pass("PT2H")
    _ = try app.call("conditionalLaunch.didEnterBackground", ["window": "a"])
    _ = try app.call("conditionalLaunch.didEnterBackground", ["window": "b"])
    try app.pass("PT29M")
    #expect(try app.launch() == ["allow"])
  }

  @Test("remediateCompliance counts a foreground window as use, like conditionalLaunch.evaluate")
  func remediation() throws {
    let app = try App(#""pinRequired": true, "periodOnlineBeforeAccessCheck": "PT5M""#, .script)
    let silent: JSONValue = ["account": App.user, "silent": true]
    _ = try app.call("pin.set", ["account": App.user, "pin": "2580"])
    #expect(try app.launch() == ["allow"])
    try app.pass("PT10M")
    #expect(try app.launch("conditionalLaunch.evaluate") == ["allow"])
    #expect(try app.call("complianceManager.remediateCompliance", silent) == "compliant")
    _ = try app.call("conditionalLaunch.didEnterBackground")
    try app.pass("PT5M")
    #expect(try app.call("complianceManager.remediateCompliance", silent) == "interactionRequired")
  }

  @Test(
    "A PIN or a sign-in is valid for the policy's period, or for a single use if the period is PT0S",
    arguments: ["PT0S", "PT30S", "PT1M", "PT5M", "PT14M", "PT20M"], proofs)
  func periods(_ period: String, _ proof: Proof) throws {
    let app = try App(proof.policy + #", "periodOnlineBeforeAccessCheck": "\#(period)""#, .processPerCall)
    let first = proof.kinds == ["enterPIN"] ? ["setPIN"] : proof.kinds
    #expect(try app.launch("conditionalLaunch.evaluate") == ["block"] + first)
    try app.answer(proof.answer)
    #expect(try app.launch("conditionalLaunch.evaluate") == ["allow"])
    if period == "PT0S" {
      #expect(try app.launch("conditionalLaunch.evaluate") == ["block"] + proof.kinds)
    } else {
      try app.pass(.string(period))
      #expect(try app.launch("conditionalLaunch.evaluate") == ["block"] + proof.kinds)
    }
    try app.answer(proof.answer)
    try app.pass("PT50S")
    #expect(try app.launch("conditionalLaunch.evaluate") == ["allow"], "the call can be repeated")
    try app.pass("PT20M")
    try app.answer(proof.answer)
    try app.pass(["PT0S", "PT30S"].contains(period) ? "PT1M" : .string(period))
    #expect(try app.launch("conditionalLaunch.evaluate") == ["block"] + proof.kinds, "the answer came too long ago")
  }
}
