import JSON
import TestSupport
import Testing

/// A random use of shared windows: every step is done by one of the processes on a state folder and by the model.
final class WindowWalk {
  private static let policies = [
    (name: "ann", members: #""minimumRequiredOsVersion": "13""#),
    (name: "bob", members: #""minimumRequiredOsVersion": "15", "minimumWipeOsVersion": "11""#),
    (
      name: "cid",
      members: """
      "pinRequired": true, "periodOnlineBeforeAccessCheck": "PT30M", "appActionIfAccountIsClockedOut": "block"
      """
    ),
  ]
  private static let delegates = [
    "policyDelegate.blockAccount", "policyDelegate.identitySwitchRequired", "ui.promptForPIN",
  ]

  private var random: SeededGenerator
  private var model: WindowModel
  private let world: SharedWindowWorld
  private var servers: [TestHost]
  private var hosts: [EventHost]
  private var asked: [String] = []
  private(set) var story: [String] = []

  init(seed: UInt64, processes: Int) throws {
    random = SeededGenerator(state: seed)
    model = WindowModel(processes: processes)
    world = try SharedWindowWorld(Self.policies, delegates: Self.delegates)
    servers = [world.server]
    hosts = [world.host]
    _ = try world.host.call("pin.set", ["account": SharedWindowWorld.account("cid"), "pin": "2580"])
    while servers.count < processes {
      let server = try world.secondProcess()
      let host = EventHost(server.bridge)
      _ = try host.call(
        "initialize", ["sdkLevel": 21, "delegates": .array(Self.delegates.map(JSONValue.string))])
      servers.append(server)
      hosts.append(host)
    }
    try world.setSystem("16")
    try wait()
  }

  struct Difference: Error, CustomStringConvertible {
    let description: String
  }

  private func expect<Value: Equatable>(_ actual: Value, is expected: Value, _ what: String) throws {
    guard actual != expected else { return }
    throw Difference(description: "\(what)\nis       \(actual)\nexpected \(expected)")
  }

  func run(steps: Int) throws {
    for number in 1...steps {
      model.answers = .init(
        entersPIN: Bool.random(using: &random),
        block: ["success", "success", "failed", nil].randomElement(using: &random) ?? nil,
        switching: Bool.random(using: &random) ? "success" : "failed")
      (model.asked, asked) = ([], [])
      story.append("\(number). \(model.answers) ")
      try step()
      try expect(asked, is: model.asked, "questions to the host")
      try expectState()
    }
  }

  private func note(_ text: String) { story[story.count - 1] += text }

  private func step() throws {
    let process = Int.random(in: 0..<hosts.count, using: &random)
    let window = WindowModel.windows.randomElement(using: &random) ?? "w1"
    let name = (WindowModel.managed + ["eve"]).randomElement(using: &random) ?? "eve"
    switch Int.random(in: 0..<16, using: &random) {
    case 0...4: try show(someAccounts(), in: window, process)
    case 5, 6: try show([name], in: window, process)
    case 7: try clear(window, process)
    case 8, 9: try bringToForeground(window, process)
    case 10, 11: try setSystem([10, 12, 14, 16, 16].randomElement(using: &random) ?? 16)
    case 12: try clock(out: Bool.random(using: &random) ? ["cid"] : [])
    case 13: try wait()
    case 14: try unenroll(["ann", "bob"].randomElement(using: &random) ?? "ann", process)
    default: try enroll(["ann", "bob"].randomElement(using: &random) ?? "ann", process)
    }
  }

  private func someAccounts() -> [String] {
    let names = (WindowModel.managed + ["eve"]).shuffled(using: &random)
    return Array(names.prefix(Int.random(in: 0...4, using: &random)))
  }
}

/// The steps.
extension WindowWalk {
  private func show(_ names: [String], in window: String, _ process: Int) throws {
    note("process \(process) shows \(names) in \(window)")
    let expected = model.show(names, in: window, process)
    let params: JSONValue = ["accounts": SharedWindowWorld.accounts(names), "window": .string(window)]
    try expect(call(SharedWindowWorld.setAccounts, params, process), is: .string(expected), "result")
  }

  private func clear(_ window: String, _ process: Int) throws {
    note("process \(process) clears \(window)")
    model.clear(window, process)
    let params: JSONValue = ["account": .null, "window": .string(window)]
    try expect(call("policyManager.setUIPolicyIdentity", params, process), is: "success", "result")
  }

  private func bringToForeground(_ window: String, _ process: Int) throws {
    note("process \(process) brings \(window) to the foreground")
    model.bringToForeground(window, process)
    let params: JSONValue = ["window": .string(window)]
    _ = try call("conditionalLaunch.didBecomeActive", params, process)
    _ = try call("conditionalLaunch.didEnterBackground", params, process)
  }

  private func setSystem(_ version: Int) throws {
    note("system \(version)")
    model.system = version
    try world.setSystem("\(version)")
  }

  private func clock(out names: Set<String>) throws {
    note("clocked out: \(names)")
    model.clock(out: names)
    try world.clock(out: names)
  }

  /// Long enough for the PIN to be due; the clock status stays fresh.
  private func wait() throws {
    if !story.isEmpty { note("half an hour") }
    model.hasEnteredPIN = false
    for server in servers { server.clock.advance(byMilliseconds: 31 * 60_000) }
    try world.clock(out: model.clockedOut)
  }

  private func unenroll(_ name: String, _ process: Int) throws {
    note("process \(process) unenrolls \(name)")
    model.leave(name)
    try hosts[process].unenroll(SharedWindowWorld.upn(name))
  }

  private func enroll(_ name: String, _ process: Int) throws {
    note("process \(process) enrolls \(name)")
    model.enrolled.insert(name)
    try hosts[process].enroll(SharedWindowWorld.upn(name))
  }

  private func call(_ method: String, _ params: JSONValue, _ process: Int) throws -> JSONValue {
    let reply = try hosts[process].reply(method, params, answering: answer)
    guard let result = reply["result"] else { throw Difference(description: "\(method): \(reply.jsonText)") }
    return result
  }

  private func answer(_ question: JSONValue) -> JSONObject {
    let params = question["params"] ?? .null
    let window = params["window"]?.stringValue ?? "?"
    switch question["method"]?.stringValue {
    case "ui.promptForPIN":
      asked.append("pin \(params["challenge"].map(SharedWindowWorld.name) ?? "?")")
      return model.answers.entersPIN ? ["result": ["pin": "2580"]] : ["error": ["code": 7002, "message": "canceled"]]
    case "policyDelegate.blockAccount":
      asked.append("block \(SharedWindowWorld.name(params)) \(window) \(params["reason"]?.stringValue ?? "?")")
      guard let answer = model.answers.block else { return ["error": ["code": -32601, "message": "unknown method"]] }
      return ["result": .string(answer)]
    default:
      asked.append("switch \(window)")
      return ["result": .string(model.answers.switching)]
    }
  }
}

/// What is to be seen after a step.
extension WindowWalk {
  private func expectState() throws {
    for (process, host) in hosts.enumerated() {
      for name in WindowModel.windows { try expectWindow(name, host, process) }
      let blocked = try host.call("policyManager.blockedAccounts").arrayValue?.map(SharedWindowWorld.name)
      try expect(blocked?.sorted(), is: model.blocked.keys.sorted(), "blocked accounts in process \(process)")
      for name in WindowModel.managed {
        let account = SharedWindowWorld.account(name)
        let reason = try host.call("policyManager.blockedReason", ["account": account]).stringValue
        try expect(reason, is: model.blocked[name] ?? "notBlocked", "reason of \(name) in process \(process)")
        let isManaged = try host.call("policyManager.isIdentityManaged", ["account": account])
        try expect(isManaged, is: .bool(model.enrolled.contains(name)), "whether \(name) is managed")
      }
    }
  }

  private func expectWindow(_ name: String, _ host: EventHost, _ process: Int) throws {
    let window = model.window(name, process)
    let params: JSONValue = ["window": .string(name)]
    let what = "\(name) of process \(process)"
    let shown = try host.call("policyManager.getUIPolicyAccounts", params).arrayValue?.map(SharedWindowWorld.name)
    try expect(shown, is: window.names, "accounts in \(what)")
    let policy = try host.call("policyManager.policy", params)
    let isLockedDown = model.isLockedDown(window)
    try expect(policy["lockDown"] == true, is: isLockedDown, "lock-down of \(what)")
    let isManaged = isLockedDown || window.names?.contains(where: model.enrolled.contains) == true
    try expect(policy["managed"], is: .bool(isManaged), "management of \(what)")
    let isAlone = window.names?.count == 1 && !window.isLocked
    let identity = try host.call("policyManager.getUIPolicyIdentity", params)
    try expect(
      identity == .null ? nil : SharedWindowWorld.name(identity), is: isAlone ? window.names?.first : nil,
      "identity of \(what)")
    let isAllowed = try host.call("policy.isContactSyncAllowed", params)
    try expect(isAllowed, is: .bool(!isLockedDown), "contacts in \(what)")
  }
}
