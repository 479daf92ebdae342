import Bridge
import JSON
import Model
import Support

/// A user in an app on a platform, whose answers are recorded as a test.
struct RecordedSubject: Hashable, Sendable {
  let user: String
  /// How many users get the same.
  let count: Int
  let app: String
  let platform: DevicePlatform
  /// Whether the launch after a long time offline is recorded, too.
  let goesOffline: Bool

  /// The decisions that administrators ask for most, in the words of a test.
  private static let questions: [(method: String, parameter: String?)] = [
    ("policy.isPINRequired", nil), ("policy.isSaveToAllowedForLocation", "location=localDrive"),
    ("policy.isSaveToAllowedForLocation", "location=oneDriveForBusiness"),
    ("policy.isSaveToAllowedForLocation", "location=dropbox"),
    ("policy.isOpenFromAllowedForLocation", "location=localStorage"), ("policy.isAppSharingAllowed", nil),
    ("policy.isURLAllowed", "url=https://www.example.com/"), ("policy.isContactSyncAllowed", nil),
    ("policy.notificationPolicy", nil), ("policy.isFileEncryptionRequired", nil),
    ("enforcement.isActionAllowed", "action=print"), ("enforcement.isActionAllowed", "action=backup"),
    ("enforcement.isActionAllowed", "action=screenCapture"),
  ]
  private static let daysOffline = 100

  /// Asks everything. The app has not been used yet.
  func lines(_ apps: TestApps) throws -> [String] {
    try apps.use(app)
    _ = try apps.call("device.set", ["platform": .string(platform.rawValue)])
    let reply = try apps.call("enrollmentManager.registerAndEnrollAccount", ["account": .string(user)])
    let line = "as \(user.asWord) in \(app.asWord) on \(platform.rawValue)"
    let others = count == 1 ? "" : " (\(count) users)"
    let name = JSONValue.string("\(user) in \(app) on \(platform.rawValue)\(others)").jsonText
    let head = ["test \(name)", "unreviewed"]
    guard reply["result"]?["didSucceed"] == true else {
      let status = reply["error"]?["data"]?["name"]?.stringValue ?? reply["result"]?["status"]?.stringValue
      return head + ["\(line) -> \((status ?? "unknown").asWord)"]
    }
    let decisions = try Self.questions.map { try decision($0.method, $0.parameter, apps) }
    let launch = try launch(apps)
    guard goesOffline else { return head + [line] + decisions + [launch] }
    _ = try apps.call("device.set", ["networkAvailable": false])
    try apps.moveClock("+P\(Self.daysOffline)D")
    let offline = ["network off", "clock +P\(Self.daysOffline)D", try self.launch(apps)]
    return head + [line] + decisions + [launch] + offline
  }

  private func decision(_ method: String, _ parameter: String?, _ apps: TestApps) throws -> String {
    let members = try members(method, parameter)
    let reply = try apps.call(method, members)
    let line = ([method] + [parameter].compactMap(\.self)).joined(separator: " ")
    if let error = reply["error"] { return "\(line) -> error \((error["data"]?["name"]?.stringValue ?? "").asWord)" }
    let result = reply["result"] ?? .null
    let text = result.stringValue?.asWord ?? result.jsonText
    return "\(line) -> \(text)" + (try because(TestCall(apps: apps, method: method, members: members, reply: reply)))
  }

  private func members(_ method: String, _ parameter: String?) throws -> JSONObject {
    var members: JSONObject = ["account": .string(user)]
    if let parameter, let found = API.methods.first(where: { $0.name == method }) {
      let argument = try ParameterArgument(parameter)
      members[argument.name] = try argument.value(ParameterForms(found))
    }
    return members
  }

  private func launch(_ apps: TestApps) throws -> String {
    let (method, members) = ("conditionalLaunch.evaluate", ["account": .string(user)] as JSONObject)
    let reply = try apps.call(method, members)
    if let kind = reply.openChallenges.first?["kind"]?.stringValue { return "launch -> challenge \(kind)" }
    guard let verdict = reply["result"]?["verdict"]?.stringValue else {
      let name = reply["error"]?["data"]?["name"]?.stringValue ?? ""
      return "conditionalLaunch.evaluate -> error \(name.asWord)"
    }
    return "launch -> \(verdict)" + (try because(TestCall(apps: apps, method: method, members: members, reply: reply)))
  }

  /// Empty if no setting decided.
  private func because(_ call: TestCall) throws -> String {
    let settings = try call.decidingSettings().sorted()
    return settings.isEmpty ? "" : " because " + settings.joined(separator: " ")
  }
}

extension String {
  /// The text as one word of a test: in quotes if it could be read as something else.
  fileprivate var asWord: String {
    let isPlain = !isEmpty && utf8.allSatisfy { $0.isAlphanumeric || "@._-+".utf8.contains($0) } && self != "->"
    let isReserved = ["error", "challenge", "unordered", "in", "on"].contains(self)
    let readsAsJSON = (try? JSONValue(parsing: self)) != nil
    return isPlain && !isReserved && !readsAsJSON ? self : JSONValue.string(self).jsonText
  }
}
