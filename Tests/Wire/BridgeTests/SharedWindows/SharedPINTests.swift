import JSON
import TestSupport
import Testing

/// The PINs of the accounts of one view, which the user need not enter twice.
@Suite("PINs of several accounts", .timeLimit(.minutes(5)), .ownThreads)
struct SharedPINTests {
  private static let checked = #""pinRequired": true, "periodOnlineBeforeAccessCheck": "PT30M""#
  private static let pin = checked + #", "maximumPinRetries": 5"#

  private static func world(_ ann: String = pin, _ bob: String = pin) throws -> SharedWindowWorld {
    try SharedWindowWorld([(name: "ann", members: ann), (name: "bob", members: bob)])
  }

  /// Shows both accounts and answers what is asked, by account. Returns what was asked.
  private func show(_ world: SharedWindowWorld, _ answers: [String: JSONObject]) throws -> [String] {
    var asked: [String] = []
    let params: JSONValue = ["accounts": SharedWindowWorld.accounts(["ann", "bob"]), "window": "inbox"]
    while let challenge = try challenge(world, params), asked.count < 10 {
      let name = SharedWindowWorld.name(challenge)
      asked.append("\(challenge["kind"]?.stringValue ?? "?") \(name)")
      var answer = try #require(answers[name])
      answer["challenge"] = challenge["id"]
      #expect(try world.host.call("conditionalLaunch.answer", .object(answer))["accepted"] == true)
    }
    #expect(try world.shown() == ["ann", "bob"])
    return asked
  }

  private func challenge(_ world: SharedWindowWorld, _ params: JSONValue) throws -> JSONValue? {
    let reply = try world.host.reply(SharedWindowWorld.setAccounts, params) { _ in [:] }
    guard reply["error"] != nil else { return nil }
    #expect(reply["error"]?["code"] == 8001)
    return try #require(reply["error"]?["data"]?["challenge"])
  }

  private func set(_ pin: String, _ name: String, _ world: SharedWindowWorld) throws {
    _ = try world.host.call("pin.set", ["account": SharedWindowWorld.account(name), "pin": .string(pin)])
  }

  private func status(_ name: String, _ world: SharedWindowWorld) throws -> JSONValue {
    try world.host.call("pin.status", ["account": SharedWindowWorld.account(name)])
  }

  private func wait(_ world: SharedWindowWorld) { world.server.clock.advance(byMilliseconds: 31 * 60_000) }

  @Test("In a window with two accounts, one new PIN, one PIN entry or one biometric serves both")
  func one() throws {
    let world = try Self.world()
    #expect(try show(world, ["ann": ["pin": "2580"]]) == ["setPIN ann"])
    #expect(try show(world, [:]) == [])
    wait(world)
    #expect(try show(world, ["ann": ["pin": "2580"]]) == ["enterPIN ann"])
    wait(world)
    #expect(try show(world, ["ann": ["biometric": "touchID"]]) == ["enterPIN ann"])
    #expect(try status("bob", world)["retriesLeft"] == status("ann", world)["retriesLeft"])
  }

  @Test("conditionalLaunch.evaluate of a window with two accounts asks for one PIN, which serves both")
  func evaluated() throws {
    let world = try Self.world()
    _ = try show(world, ["ann": ["pin": "2580"]])
    wait(world)
    let launch = try world.host.call("conditionalLaunch.evaluate", ["window": "inbox"])
    let open = try #require(launch["challenges"]?.arrayValue)
    #expect(open.count == 1)
    let answer: JSONObject = ["challenge": open.first?["id"] ?? .null, "pin": "2580"]
    #expect(try world.host.call("conditionalLaunch.answer", .object(answer))["accepted"] == true)
    #expect(try world.host.call("conditionalLaunch.evaluate", ["window": "inbox"])["verdict"] == "allow")
  }

  @Test("If an account alone asks for a PIN, the answer does not serve the other account of a window")
  func alone() throws {
    let world = try Self.world()
    let params: JSONValue = ["accounts": SharedWindowWorld.accounts(["ann", "bob"]), "window": "inbox"]
    let first = try challenge(world, params)
    let launch = try world.host.call("conditionalLaunch.evaluate", ["account": SharedWindowWorld.account("ann")])
    #expect(launch["challenges"]?.arrayValue?.first?["id"] == first?["id"])
    _ = try world.host.call("conditionalLaunch.answer", ["challenge": first?["id"] ?? .null, "pin": "2580"])
    #expect(try status("ann", world)["isSet"] == true)
    #expect(try status("bob", world)["isSet"] == false)
  }

  @Test("If a new PIN breaks the rules of the second account, that account asks for its own PIN")
  func refused() throws {
    let world = try Self.world(Self.pin, Self.pin + #", "minimumPinLength": 6"#)
    let asked = try show(world, ["ann": ["pin": "2580"], "bob": ["pin": "258036"]])
    #expect(asked == ["setPIN ann", "setPIN bob"])
  }

  @Test("A biometric does not serve an account whose policy blocks biometrics")
  func biometric() throws {
    let world = try Self.world(Self.pin, Self.pin + #", "fingerprintBlocked": true"#)
    _ = try show(world, ["ann": ["pin": "2580"]])
    wait(world)
    let asked = try show(world, ["ann": ["biometric": "touchID"], "bob": ["pin": "2580"]])
    #expect(asked == ["enterPIN ann", "enterPIN bob"])
    #expect(try status("bob", world)["retriesLeft"] == 5)
  }

  @Test("If the PIN of both accounts has expired, the user changes it only once")
  func changed() throws {
    let expiring = Self.pin + #", "periodBeforePinReset": "P1D""#
    let world = try Self.world(expiring, expiring)
    _ = try show(world, ["ann": ["pin": "2580"]])
    world.server.clock.advance(byMilliseconds: 2 * 86_400_000)
    let asked = try show(world, ["ann": ["pin": "2580"]])
    #expect(asked.last == "changePIN ann")
    #expect(asked.count <= 2)
    for name in ["ann", "bob"] { #expect(try status(name, world)["expires"] != .null) }
    #expect(try show(world, [:]) == [])
  }

  @Test("However often the first account's PIN is entered, it costs a second account at most one try")
  func tries() throws {
    let world = try Self.world()
    try set("2580", "ann", world)
    try set("1470", "bob", world)
    wait(world)
    let both: [String: JSONObject] = ["ann": ["pin": "2580"], "bob": ["pin": "1470"]]
    let params: JSONValue = ["accounts": SharedWindowWorld.accounts(["ann", "bob"]), "window": "inbox"]
    for _ in 1...3 {
      let asked = try #require(try challenge(world, params))
      #expect(SharedWindowWorld.name(asked) == "ann")
      let answer: JSONValue = ["challenge": asked["id"] ?? .null, "pin": "2580"]
      #expect(try world.host.call("conditionalLaunch.answer", answer)["accepted"] == true)
      let next = try #require(try challenge(world, params))
      #expect(SharedWindowWorld.name(next) == "bob")
      #expect(next["kind"] == "enterPIN")
      #expect(try status("bob", world)["retriesLeft"] == 4)
      wait(world)
    }
    #expect(try show(world, both) == ["enterPIN ann", "enterPIN bob"])
    #expect(try status("bob", world)["retriesLeft"] == 5)
  }

  @Test("The first account's PIN is not tried for a second account with only one try left")
  func lastTry() throws {
    let world = try Self.world(Self.pin, Self.checked + #", "maximumPinRetries": 1"#)
    try set("2580", "ann", world)
    try set("1470", "bob", world)
    wait(world)
    let asked = try show(world, ["ann": ["pin": "2580"], "bob": ["pin": "1470"]])
    #expect(asked == ["enterPIN ann", "enterPIN bob"])
  }

  @Test("Accounts ask for PINs in the order of the window, and a cancel blocks only the one that asks")
  func canceled() throws {
    let world = try SharedWindowWorld(
      [(name: "ann", members: Self.pin), (name: "bob", members: Self.pin)],
      delegates: ["ui.promptForPIN", "policyDelegate.blockAccount"])
    var asked: [String] = []
    let result = try world.show(["bob", "ann"]) { question in
      let params = question["params"] ?? .null
      guard let challenge = params["challenge"] else {
        asked.append("block \(SharedWindowWorld.name(params)) \(params["reason"]?.stringValue ?? "?")")
        return ["result": "success"]
      }
      asked.append(SharedWindowWorld.name(challenge))
      guard asked.count > 1 else { return ["error": ["code": 7002, "message": "canceled"]] }
      return ["result": ["pin": "2580"]]
    }
    #expect(result == "success")
    #expect(asked == ["bob", "block bob conditionalLaunchCanceled", "ann"])
    #expect(try world.shown() == ["ann"])
    #expect(try world.reason("bob") == "conditionalLaunchCanceled")
  }
}
