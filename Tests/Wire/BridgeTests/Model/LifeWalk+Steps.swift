import JSON
import TestSupport

extension LifeWalk {
  /// What can happen, and how often it does.
  struct Step: Sendable {
    let weight: Int
    let name: String
    let body: @Sendable (LifeWalk) throws -> Void

    private init(_ weight: Int, _ name: String, _ body: @escaping @Sendable (LifeWalk) throws -> Void) {
      self.weight = weight
      self.name = name
      self.body = body
    }

    private static let all = [
      Step(10, "register") { try $0.register() }, Step(3, "sign in") { try $0.signIn() },
      Step(5, "unenroll") { try $0.deregister() }, Step(12, "check in") { try $0.checkIn() },
      Step(12, "protect") { try $0.protect() }, Step(9, "time") { try $0.advance() },
      Step(4, "network") { try $0.changeNetwork() }, Step(6, "kill") { try $0.restart($0.anyProcess()) },
      Step(14, "user") { $0.editUser() }, Step(8, "policy") { $0.editPolicies() },
      Step(4, "source") { $0.editSource() }, Step(3, "tenant") { $0.editTenant() },
    ]

    static func any(_ random: inout SeededGenerator) -> Step {
      var number = Int.random(in: 0..<all.reduce(0) { $0 + $1.weight }, using: &random)
      for step in all {
        number -= step.weight
        if number < 0 { return step }
      }
      return all[0]
    }
  }

  /// Sometimes nobody.
  private func anyAccount() -> (name: String?, params: JSONValue) {
    guard !flip(20) else { return (nil, .null) }
    let name = anyName()
    note(name)
    return (name, spelling(name))
  }

  private func register() throws {
    let (process, account) = (anyProcess(), anyAccount())
    let code = app.register(account.name, by: process)
    let status = try call("enrollmentManager.registerAndEnrollAccount", ["account": account.params], by: process)
    try expect(status["statusCode"]?.integerValue, is: code, "status")
  }

  /// The host has no callbacks: it gets a challenge, any process answers, and the call is repeated.
  private func signIn() throws {
    let (process, name) = (anyProcess(), anyName())
    let (method, params) = ("enrollmentManager.loginAndEnrollAccount", ["account": spelling(name)] as JSONValue)
    note(name)
    if app.account(name)?.isEnrolled == true {
      return try expect(call(method, params)["statusCode"]?.integerValue, is: 208, "status")
    }
    let error = try reply(method, params)["error"]
    try expect(error?["code"], is: 8001, "error")
    let id = error?["data"]?["challenge"]?["id"] ?? .null
    let isCanceled = flip(2)
    note(isCanceled ? "and cancel" : "with a token")
    let answer: JSONValue =
      isCanceled ? ["challenge": id, "canceled": true] : ["challenge": id, "accessToken": "token"]
    _ = try call("conditionalLaunch.answer", answer)
    let code = app.signIn(name, isCanceled: isCanceled, by: process)
    try expect(call(method, params, by: process)["statusCode"]?.integerValue, is: code, "status")
  }

  private func deregister() throws {
    let (account, withWipe) = (anyAccount(), flip(2))
    if withWipe { note("with wipe") }
    let code = app.deregister(account.name, withWipe: withWipe)
    let params: JSONValue = ["account": account.params, "withWipe": .bool(withWipe)]
    let status = try call("enrollmentManager.deRegisterAndUnenrollAccount", params)
    try expect(status["statusCode"]?.integerValue, is: code, "status")
  }

  private func checkIn() throws {
    let process = anyProcess()
    let account = flip(2) ? (name: nil, params: .null) : anyAccount()
    let codes = app.checkIn(account.name, by: process)
    let statuses = try call("tenant.checkIn", ["account": account.params], by: process)
    try expect(statuses.arrayValue?.compactMap { $0["statusCode"]?.integerValue }, is: codes, "statuses")
  }

  private func protect() throws {
    let (name, text) = (anyName(), "text \(random.next())")
    note(name)
    let params: JSONValue = ["string": .string(text), "account": spelling(name)]
    let reply = try reply("dataProtectionManager.protectString", params)
    guard app.isManagementEnabled else {
      return try expect(reply["error"]?["code"]?.integerValue, is: ModelError.notManaged.rawValue, "error")
    }
    let protected = reply["result"]?.stringValue ?? ""
    let isEncrypted = app.account(name)?.isManaged == true
    app.data.append(ModelData(owner: name, text: text, protected: protected, isEncrypted: isEncrypted))
  }

  private func advance() throws {
    let process = anyProcess()
    let minutes = Int64.random(in: anySpan(), using: &random)
    note("\(minutes) minutes")
    // Events are kept for 30 days: they are to be read by then.
    for start in stride(from: 0, through: minutes, by: 29 * 1440) {
      let piece = min(29 * 1440, minutes - start)
      app.advance(by: piece * 60_000, by: process)
      _ = try call("debug.advanceClock", ["by": .string("PT\(piece)M")], by: process)
      try expectEvents()
    }
  }

  /// In minutes. So long that a registration is forgotten only where nobody checks in every half hour until then.
  private func anySpan() -> ClosedRange<Int64> {
    if app.hasNetwork, app.tenant.source != .good, flip(3) { return 89 * 1440...91 * 1440 }
    return flip(3) ? 60...1500 : 0...60
  }

  private func changeNetwork() throws {
    let (process, isThere) = (anyProcess(), !app.hasNetwork || flip(4))
    note(isThere ? "is there" : "is gone")
    app.setNetwork(isThere, by: process)
    _ = try call("device.set", ["networkAvailable": .bool(isThere)], by: process)
  }
}
