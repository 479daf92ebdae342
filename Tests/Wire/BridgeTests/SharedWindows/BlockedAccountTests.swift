import JSON
import TestSupport
import Testing

@Suite("Blocked accounts", .timeLimit(.minutes(5)), .ownThreads)
struct BlockedAccountTests {
  private static let block = "policyDelegate.blockAccount"
  private static let switching = "policyDelegate.identitySwitchRequired"
  private static let alert = "ui.showAlert"
  private static let recent = (name: "ann", members: #""minimumRequiredOsVersion": "15", "minimumWipeOsVersion": "11""#)
  private static let open = (name: "bob", members: #""saveAsBlocked": true"#)
  private static let success: JSONObject = ["result": "success"]

  /// Ann may not be shown.
  private static func world(_ delegates: [String] = [block]) throws -> SharedWindowWorld {
    let world = try SharedWindowWorld([recent, open], delegates: delegates)
    try world.setSystem("14")
    return world
  }

  @Test("A blocked account is hidden in all windows, and all processes report the block until a launch passes")
  func hidden() throws {
    let world = try Self.world()
    try world.setSystem("15")
    #expect(try world.show(["ann", "eve"], window: "second") == "success")
    try world.setSystem("14")
    let before = try world.policyChanges("ann")
    var asked: [JSONValue] = []
    let result = try world.show(["ann", "bob", "eve"]) { question in
      asked.append(question["params"] ?? .null)
      return Self.success
    }
    #expect(result == "success")
    #expect(asked.map { $0["window"] } == ["inbox", "second"])
    for params in asked {
      #expect(params["identity"] == SharedWindowWorld.account("ann"))
      #expect(params["accountId"] == world.id("ann"))
      #expect(params["reason"] == "conditionalLaunchBlocked")
    }
    #expect(try world.shown() == ["bob", "eve"])
    #expect(try world.shown("second") == ["eve"])
    #expect(try world.isLockedDown())
    #expect(try !world.isLockedDown("second"))
    #expect(try world.blocked() == ["ann"])
    #expect(try world.reason("ann") == "conditionalLaunchBlocked")
    #expect(try world.reason("bob") == "notBlocked")
    #expect(try world.policyChanges("ann") == before + 1)
    let second = try world.secondProcess()
    #expect(try world.blocked(on: second) == ["ann"])
    try world.setSystem("15")
    #expect(try world.blocked() == ["ann"])
    #expect(try world.show(["ann", "bob"]) == "success")
    #expect(try world.shown() == ["ann", "bob"])
    #expect(try world.blocked() == [])
    #expect(try world.blocked(on: second) == [])
    #expect(try world.policyChanges("ann") == before + 2)
  }

  @Test(
    "A block ends when setUIPolicyIdentity or conditionalLaunch.evaluate finds that the launch passes",
    arguments: ["policyManager.setUIPolicyIdentity", "conditionalLaunch.evaluate"])
  func ends(method: String) throws {
    let world = try Self.world()
    _ = try world.show(["ann", "bob"]) { _ in Self.success }
    let before = try world.policyChanges("ann")
    try world.setSystem("15")
    _ = try world.call(method, ["account": SharedWindowWorld.account("ann"), "window": "other"])
    #expect(try world.blocked() == [])
    #expect(try world.policyChanges("ann") == before + 1)
  }

  @Test("Unenrolling or wiping a blocked account ends the block", arguments: [true, false])
  func leaves(isWipe: Bool) throws {
    let world = try Self.world()
    _ = try world.show(["ann", "bob"]) { _ in Self.success }
    #expect(try world.blocked() == ["ann"])
    if isWipe {
      try world.setSystem("10")
      #expect(try world.show(["ann", "bob", "eve"]) == "success")
      #expect(try world.shown() == ["bob", "eve"])
    } else {
      try world.host.unenroll(SharedWindowWorld.upn("ann"))
    }
    #expect(try world.blocked() == [])
    #expect(try world.reason("ann") == "notBlocked")
    try world.setSystem("15")
    try world.host.enroll(SharedWindowWorld.upn("ann"))
    #expect(try world.blocked() == [])
  }

  @Test("A wiped account is removed from every window that shows it, and is not blocked")
  func wiped() throws {
    let world = try Self.world()
    try world.setSystem("15")
    #expect(try world.show(["ann", "eve", "bob"], window: "second") == "success")
    #expect(try world.show(["ann"], window: "third") == "success")
    try world.setSystem("10")
    #expect(try world.show(["bob", "ann", "eve"]) == "success")
    #expect(try world.blocked() == [])
    #expect(try world.shown() == ["bob", "eve"])
    #expect(try world.shown("second") == ["eve", "bob"])
    #expect(try world.shown("third") == ["nobody"])
  }

  @Test("A block because the user clocked out ends when the user clocks in")
  func clockedOut() throws {
    let world = try SharedWindowWorld(
      [(name: "ann", members: #""appActionIfAccountIsClockedOut": "block""#), Self.open], delegates: [Self.block])
    try world.clock(out: ["ann"])
    var reasons: [JSONValue?] = []
    let result = try world.show(["ann", "bob"]) { question in
      reasons.append(question["params"]?["reason"])
      return Self.success
    }
    #expect(result == "success")
    #expect(reasons == ["clockedOut"])
    #expect(try world.reason("ann") == "clockedOut")
    let before = try world.policyChanges("ann")
    try world.clock(out: [])
    #expect(try world.blocked() == [])
    #expect(try world.policyChanges("ann") == before + 1)
  }

  @Test("If the host cannot hide a blocked account, the user gets an alert and the window is locked down")
  func failed() throws {
    let world = try Self.world([Self.block, Self.alert])
    var alerts: [JSONValue?] = []
    func answer(_ question: JSONValue) -> JSONObject {
      guard question["method"] == .string(Self.alert) else { return ["result": "failed"] }
      alerts.append(question["params"]?["title"])
      return ["result": ["action": "OK"]]
    }
    #expect(try world.show(["eve"]) == "success")
    #expect(try !world.isLockedDown())
    #expect(try world.show(["ann", "eve"], answering: answer) == "failed")
    while !alerts.contains("Account blocked") {
      let question = try world.host.nextQuestion()
      world.host.answer(question, answer(question))
    }
    #expect(try world.isLockedDown())
    #expect(try world.blocked() == ["ann"])
    #expect(try world.shown() == ["eve"])
    #expect(try world.host.call("policy.isContactSyncAllowed", ["window": "inbox"]) == false)
    #expect(try world.show(["ann", "eve"], answering: answer) == "failed")
    #expect(try world.isLockedDown())
    #expect(try world.show(["eve"], answering: answer) == "success")
    #expect(try !world.isLockedDown())
  }

  @Test("Hiding another account in a window that is locked down does not unlock it")
  func staysLocked() throws {
    let world = try SharedWindowWorld(
      [Self.recent, (name: "bob", members: #""minimumRequiredOsVersion": "16""#)], delegates: [Self.block])
    try world.setSystem("16")
    #expect(try world.show(["bob", "eve"]) == "success")
    try world.setSystem("14")
    #expect(try world.show(["ann", "eve"]) { _ in ["result": "failed"] } == "failed")
    #expect(try world.show(["bob", "eve"], window: "second") { _ in Self.success } == "success")
    #expect(try world.shown() == ["eve"])
    #expect(try world.isLockedDown())
    #expect(try !world.isLockedDown("second"))
  }

  @Test("A call that is repeated after a challenge does not ask the host again to hide an account")
  func repeated() throws {
    let world = try SharedWindowWorld(
      [Self.recent, (name: "bob", members: #""pinRequired": true"#)], delegates: [Self.block])
    try world.setSystem("14")
    let params: JSONValue = ["accounts": SharedWindowWorld.accounts(["ann", "bob", "eve"]), "window": "inbox"]
    var asked = 0
    for _ in 0..<3 {
      let reply = try world.host.reply(SharedWindowWorld.setAccounts, params) { _ in
        asked += 1
        return Self.success
      }
      #expect(reply["error"]?["code"] == 8001)
    }
    #expect(asked == 1)
  }

  @Test("A window whose block failed stays locked down even if thread main has an identity")
  func lockOverMainThread() throws {
    let world = try Self.world()
    #expect(try world.show(["ann", "eve"]) { _ in ["result": "failed"] } == "failed")
    _ = try world.call("policyManager.setCurrentThreadIdentity", ["account": SharedWindowWorld.eve])
    #expect(try world.isLockedDown())
  }

  @Test("If the host cannot hide an account in another window, only that window is locked down")
  func failedElsewhere() throws {
    let world = try Self.world()
    try world.setSystem("15")
    #expect(try world.show(["ann", "eve"], window: "second") == "success")
    try world.setSystem("14")
    let result = try world.show(["ann", "bob"]) { question in
      ["result": question["params"]?["window"] == "second" ? "failed" : "success"]
    }
    #expect(result == "failed")
    #expect(try world.shown() == ["bob"])
    #expect(try !world.isLockedDown())
    #expect(try world.isLockedDown("second"))
  }

  @Test("Strict mode reports no missing identity for a window or a call with several accounts")
  func strict() throws {
    let world = try Self.world()
    try world.setSystem("15")
    #expect(try world.show(["ann", "bob"]) == "success")
    _ = try world.call("strictMode.enable", [:])
    let ids: JSONValue = [world.id("ann"), world.id("bob")]
    for target: JSONObject in [["window": "inbox"], ["accounts": ids]] {
      #expect(try world.call("policy.isContactSyncAllowed", target) == false)
    }
  }

  @Test("A host without the blockAccount callback is asked to show no user", arguments: ["success", "failed"])
  func nobody(answer: String) throws {
    let world = try Self.world([Self.switching])
    var asked: [JSONValue] = []
    let result = try world.show(["ann", "bob"]) { question in
      asked.append(question["params"] ?? .null)
      return ["result": .string(answer)]
    }
    #expect(asked == [["accountId": "", "identity": "", "window": "inbox", "reason": "cancelConditionalLaunch"]])
    #expect(result == .string(answer))
    #expect(try world.blocked() == ["ann"])
    if answer == "success" {
      #expect(try world.shown() == ["nobody"])
      #expect(try !world.isLockedDown())
    } else {
      #expect(try world.shown() == ["ann"])
      #expect(try world.isLockedDown())
    }
  }

  @Test("A call that sets a window is canceled if the host sets the same window while it is asked")
  func meanwhile() throws {
    let world = try Self.world()
    let result = try world.show(["ann", "bob"]) { _ throws in
      let eve: JSONObject = ["account": SharedWindowWorld.eve, "window": "inbox"]
      #expect(try world.call("policyManager.setUIPolicyIdentity", eve) == "success")
      return Self.success
    }
    #expect(result == "canceled")
    #expect(try world.shown() == ["eve"])
    func send(_ names: [String]) -> Int {
      let params: JSONValue = ["accounts": SharedWindowWorld.accounts(names), "window": "inbox"]
      return world.host.send(SharedWindowWorld.setAccounts, params)
    }
    let first = send(["ann", "bob"])
    let question = try world.host.nextQuestion()
    let second = send(["bob", "eve"])
    world.host.answer(question, Self.success)
    #expect(try world.host.reply(to: first)["result"] == "success")
    #expect(try world.host.reply(to: second)["result"] == "success")
    #expect(try world.shown() == ["bob", "eve"])
  }

  @Test("Without MultiManagedIdentities, or in a confined app, a window can show only one account")
  func allowed() throws {
    let one = try SharedWindowWorld([Self.recent], flags: ["MultiIdentity=true"])
    #expect(try one.show(["ann", "eve"]) == "notAllowed")
    #expect(try one.shown() == nil)
    let names: JSONValue = [SharedWindowWorld.account("ann"), one.id("ann")]
    let set = try one.call(SharedWindowWorld.setAccounts, ["accounts": names, "window": "inbox"])
    #expect(set == "success")
    #expect(try one.shown() == ["ann"])
    #expect(try !one.isLockedDown())
    let identity = try one.host.call("policyManager.getUIPolicyIdentity", ["window": "inbox"])["identity"]
    #expect(identity == SharedWindowWorld.account("ann"))
    #expect(try one.show([]) == "success")
    #expect(try one.shown() == ["nobody"])
    let confined = #"{"user": "ann@fabrikam.example", "appConfig": {"IntuneMAMAllowedAccountsOnly": "Enabled"}}"#
    let world = try SharedWindowWorld([Self.recent], mdm: confined)
    #expect(try world.show(["ann", "eve"]) == "notAllowed")
    #expect(try world.show(["ann"]) == "success")
  }

  @Test("A window with several accounts follows the lock-down policy and has no identity of its own")
  func views() throws {
    let world = try Self.world([])
    try world.setSystem("15")
    #expect(try world.show(["ann", "bob", "eve"]) == "success")
    #expect(try world.isLockedDown())
    let window: JSONValue = ["window": "inbox"]
    #expect(try world.host.call("policyManager.getUIPolicyIdentity", window) == .null)
    #expect(try world.host.call("policy.isContactSyncAllowed", window) == false)
    let explained = try world.host.call("policy.explain", ["query": "policy.isContactSyncAllowed", "params": window])
    #expect(explained["because"]?.arrayValue?.contains { $0["step"] == "lockDown" } == true)
    #expect(try world.show(["bob"]) == "success")
    #expect(try !world.isLockedDown())
    #expect(try world.host.call("policy.isContactSyncAllowed", window) == true)
  }
}
