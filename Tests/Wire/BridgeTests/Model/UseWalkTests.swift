import JSON
import TestSupport
import Testing

@testable import Bridge
@testable import MAM

@Suite("Random uses of an account with a PIN", .timeLimit(.minutes(5)), .ownThreads)
struct UseWalkTests {
  @Test(
    "A PIN is requested exactly when the model says so, whichever calls hosts make or leave out",
    arguments: [0, 30, 60, 300, 1800], [1, 2])
  func walk(period: Int, processes: Int) throws {
    let seed = UInt64.random(in: 0..<1_000_000)
    let walk = try UseWalk(seed: seed, period: period, processes: processes)
    do {
      for _ in 0..<250 { try walk.step() }
    } catch let difference as UseWalk.Difference {
      Issue.record("\(difference.text)\nseed \(seed), after\n\(walk.story.suffix(25).joined(separator: "\n"))")
    }
  }
}

/// Every step is done by one of the processes on a state folder and by the model. A new process starts with the clock
/// of the machine, which stands still.
private final class UseWalk {
  struct Difference: Error { let text: String }

  private static let account: JSONValue = "listed@fabrikam.example"
  private static let pin: JSONValue = "2580"

  private let tenant = TenantFolder()
  private let folder = TemporaryFolder(inMemory: true)
  private var random: SeededGenerator
  private var model: UseModel
  private var servers: [TestHost] = []
  private(set) var story: [String] = []

  init(seed: UInt64, period: Int, processes: Int) throws {
    random = SeededGenerator(state: seed)
    model = UseModel(period: period, processes: processes)
    tenant.write(
      """
      {"@odata.type": "#microsoft.graph.iosManagedAppProtection", "id": "T_listed", "displayName": "Listed",
       "pinRequired": true, "periodOnlineBeforeAccessCheck": "PT\(period)S"}
      """, to: "policies/listed.json")
    for _ in 0..<processes { servers.append(try start()) }
    try servers[0].enroll(Self.account)
    _ = try servers[0].call("pin.set", ["account": Self.account, "pin": Self.pin])
    model.enteredAt = 0
  }

  private func start() throws -> TestHost {
    let server = try TestHost(.folder(tenant.path), folder: folder, configure: { $0.pinStretching.cost = 16 })
    server.makeRestartDue()
    return server
  }

  func step() throws {
    let process = Int.random(in: 0..<servers.count, using: &random)
    let window = ["a", "b"].randomElement(using: &random) ?? "a"
    switch Int.random(in: 0..<16, using: &random) {
    case 0...3: try pass()
    case 4...6:
      try launch("conditionalLaunch.didBecomeActive", ["window": .string(window)], process) {
        $0.bringToForeground(window, process)
      }
    case 7...9: try launch("conditionalLaunch.evaluate", [:], process) { $0.evaluate(process) }
    case 10, 11:
      story.append("process \(process): \(window) to the background")
      model.sendToBackground(window, process)
      _ = try servers[process].call("conditionalLaunch.didEnterBackground", ["window": .string(window)])
    case 12: try show(process)
    case 13: try remediate(process)
    case 14:
      story.append("process \(process) ends, and starts again")
      model.restart(process)
      servers[process] = try start()
    default:
      story.append("process \(process): diagnostics")
      let report = try servers[process].bridge.core.diagnostics.report(version: "1", sdkVersion: "2")
      // A report that is made for no host counts no window.
      var stranger = model
      stranger.restart(process)
      try expect("\(report.launch.verdict)", stranger.asks(process) ? "block" : "allow")
    }
  }

  private func pass() throws {
    let seconds = [1, 29, 31, 59, 61, 200, 1799, 1801, 172_800].randomElement(using: &random) ?? 1
    story.append("\(seconds) seconds")
    model.now += seconds
    let by: JSONValue = ["by": .string("PT\(seconds)S")]
    _ = try servers[Int.random(in: 0..<servers.count, using: &random)].call("debug.advanceClock", by)
  }

  /// Answers the question of a launch at times.
  private func launch(
    _ method: String, _ params: JSONObject, _ process: Int, _ step: (inout UseModel) -> Bool
  ) throws {
    let isAllowed = step(&model)
    story.append("process \(process): \(method) \(params.jsonText), which \(isAllowed ? "allows" : "asks")")
    let launch = try servers[process].call(method, .object(params))
    try expect(launch["verdict"]?.stringValue ?? "", isAllowed ? "allow" : "block")
    let kinds = launch["challenges"]?.arrayValue?.compactMap { $0["kind"]?.stringValue } ?? []
    try expect(kinds.joined(), isAllowed ? "" : "enterPIN")
    guard !isAllowed, Bool.random(using: &random), let open = launch["challenges"]?.arrayValue?.first else { return }
    story.append("the user enters the PIN")
    _ = try servers[process].call("conditionalLaunch.answer", ["challenge": open["id"] ?? .null, "pin": Self.pin])
    model.enteredAt = model.now
  }

  private func show(_ process: Int) throws {
    let isAllowed = model.evaluate(process)
    story.append("process \(process): setUIPolicyIdentity, which \(isAllowed ? "allows" : "asks")")
    let reply = try servers[process].reply("policyManager.setUIPolicyIdentity", ["account": Self.account])
    try expect(reply["result"]?.stringValue ?? "asks", isAllowed ? "success" : "asks")
  }

  private func remediate(_ process: Int) throws {
    story.append("process \(process): a silent remediation")
    let params: JSONValue = ["account": Self.account, "silent": true]
    let status = try servers[process].call("complianceManager.remediateCompliance", params)
    try expect(status.stringValue ?? "", model.asks(process) ? "interactionRequired" : "compliant")
  }

  private func expect(_ actual: String, _ expected: String) throws {
    guard actual != expected else { return }
    throw Difference(text: "\(story.last ?? ""): is \"\(actual)\", expected \"\(expected)\"")
  }
}
