import Bridge
import JSON
import MAM
import Model
import Support
import Tenancy

/// How a test ended.
struct TestOutcome {
  enum Verdict: Hashable {
    case passed
    /// An expectation was not met.
    case failed
    /// The test could not be carried out.
    case broken
  }

  let file: String
  let name: String
  /// The line that decided, or the line of the test.
  let place: ExpectationPlace
  let verdict: Verdict
  /// Why the test did not pass: the first line is a summary.
  let report: [String]
}

/// One test on a state and a tenant of its own. The engine knows nothing of the command line but its parameter forms.
final class TestRun {
  /// Where a test finds its tenant and keeps its state.
  struct Place {
    /// A private folder, which exists and is empty.
    let folder: String
    /// `nil` for the built-in tenant.
    let tenant: String?
    let trustsParents: Bool
    /// Where `NAME=@FILE` looks for files.
    let files: String
  }

  /// An expectation that was not met.
  private struct Unmet: Error { let lines: [String] }

  private let test: ExpectedTest
  private let place: Place
  private var tenant: TestTenantFolder?
  private var settings: [String] = []
  private var apps: [String: TestConversation] = [:]
  /// The time of each app's clock.
  private var clocks: [String: Timestamp] = [:]
  private var app = CoreArguments.defaultAppId
  private var now: Timestamp
  private var user: String?
  /// The app and user of each enrollment.
  private var enrolled: Set<[String]> = []
  private var answers: [UserAnswer] = []

  init(_ test: ExpectedTest, in place: Place) {
    (self.test, self.place) = (test, place)
    now = Timestamp(test.time ?? ExpectedTest.defaultTime) ?? Timestamp(milliseconds: 0)
  }

  func outcome(in file: String) -> TestOutcome {
    defer { for app in apps.values { app.end() } }
    var current = test.place
    func ended(_ verdict: TestOutcome.Verdict, _ report: [String] = []) -> TestOutcome {
      TestOutcome(file: file, name: test.name, place: current, verdict: verdict, report: report)
    }
    do {
      if let original = place.tenant {
        tenant = try TestTenantFolder(copying: original, to: place.folder + "/tenant")
      }
      for step in test.steps {
        current = step.place
        try carryOut(step.action)
      }
      guard answers.isEmpty else { throw Unmet(lines: ["an answer was prepared, but nothing asked the user"]) }
      current = test.place
      return ended(.passed)
    } catch let unmet as Unmet {
      return ended(.failed, unmet.lines)
    } catch let failure as CommandFailure {
      return ended(.broken, [failure.message])
    } catch {
      return ended(.broken, ["\(error)"])
    }
  }

  private func carryOut(_ action: ExpectedStep.Action) throws {
    switch action {
    case .set(let setting):
      guard apps.isEmpty else {
        throw CommandFailure(exitCode: 64, message: "set must come before the first line that uses the app")
      }
      settings.append(setting)
    case .actAs(let actor): try act(as: actor)
    case .tenant(let edit):
      guard let tenant else {
        throw CommandFailure(
          exitCode: 64, message: "the built-in tenant cannot be changed. Name a folder with --tenant")
      }
      try tenant.apply(edit)
    case .device(let properties): try command("device.set", properties)
    case .network(let isOn): try command("device.set", ["networkAvailable=\(isOn)"])
    case .clock(let text): try moveClock(text)
    case .answer(let answer): answers.append(answer)
    case .call(let method, let parameters, let result, let because):
      try check(method, parameters, result, because)
    }
  }

  /// Calls a method whose success is taken for granted.
  private func command(_ method: String, _ parameters: [String]) throws {
    let reply = try conversation().call(method, members(method, parameters))
    guard reply["error"] == nil else { throw CommandFailure(exitCode: 64, message: reply.outcomeText) }
  }
}

extension TestRun {
  private func act(as actor: Actor) throws {
    if let app = actor.app {
      guard StateFolder.isAppId(app) else {
        throw CommandFailure(
          exitCode: 64, message: "\"\(app.shown)\" is not an app id: use 1 to 128 letters, digits, dots and dashes")
      }
      self.app = app
    }
    if let platform = actor.platform { try command("device.set", ["platform=\(platform)"]) }
    user = actor.user
    let isNew = enrolled.insert([app, actor.user]).inserted
    guard isNew || actor.status != nil else { return }
    let method = isNew ? "enrollmentManager.registerAndEnrollAccount" : "tenant.checkIn"
    let reply = try answered(method, ["account": .string(actor.user)], .success)
    let status = isNew ? reply["result"] : reply["result"]?.arrayValue?.first
    guard let expected = actor.status else {
      guard status?["didSucceed"] == true else {
        throw Unmet(lines: ["\(actor.user.shown) was not enrolled: \(Self.words(of: status, in: reply))"])
      }
      return
    }
    let isMet =
      status?["status"]?.stringValue == expected || status?["statusCode"]?.integerValue == Int64(expected)
      || ExpectedResult.error(expected).matches(reply)
    guard isMet else {
      throw Unmet(lines: [
        "\(actor.user.shown) did not end with this status", "expected: \(expected)",
        "got:      \(Self.words(of: status, in: reply))",
      ])
    }
  }

  private static func words(of status: JSONValue?, in reply: JSONValue) -> String {
    guard let name = status?["status"]?.stringValue else { return reply.outcomeText }
    return [name, status?["errorString"]?.stringValue].compactMap(\.self).joined(separator: ": ")
  }

  /// The app that the test uses now, at the time of the test.
  private func conversation() throws -> TestConversation {
    guard let running = apps[app] else {
      let started = try TestConversation(arguments())
      (apps[app], clocks[app]) = (started, now)
      return started
    }
    while let behind = clocks[app], behind < now {
      let step = min(now.milliseconds(since: behind), Self.longestAdvance)
      let reply = try running.call("debug.advanceClock", ["by": .string(Self.duration(milliseconds: step))])
      guard reply["error"] == nil else { throw CommandFailure(exitCode: 1, message: reply.outcomeText) }
      clocks[app] = behind.advanced(by: step)
    }
    return running
  }

  private func arguments() -> CoreArguments {
    var arguments = CoreArguments()
    arguments.state = place.folder + "/state"
    arguments.tenant = tenant?.path ?? TenantLocation.sampleName
    arguments.trustsParents = place.trustsParents
    arguments.appId = app
    arguments.clock = .manual(startingAt: now)
    arguments.flags = ["DebugSettingsEnabled=true"] + settings
    arguments.locale = "en"
    return arguments
  }

  /// 366 days, in milliseconds.
  private static let longestAdvance: Int64 = 366 * 86_400_000

  private static func duration(milliseconds: Int64) -> String { "PT\(max(1, milliseconds / 1000))S" }

  private func moveClock(_ text: String) throws {
    let target: Timestamp
    if text.hasPrefix("+"), let duration = ISODuration(String(text.dropFirst())) {
      target = now.advanced(by: duration.milliseconds)
    } else {
      target = Timestamp(text) ?? now
    }
    guard target >= now else {
      throw CommandFailure(exitCode: 64, message: "the clock shows \(now) and cannot go back to \(target)")
    }
    guard target.milliseconds(since: now) <= Self.longestAdvance * 30 else {
      throw CommandFailure(exitCode: 64, message: "the clock cannot move by more than 30 years at once")
    }
    now = target
    _ = try conversation()
  }
}

extension TestRun {
  private func check(
    _ method: String, _ parameters: [String], _ expected: ExpectedResult, _ because: [String]?
  ) throws {
    let members = try members(method, parameters)
    let reply = try answered(method, members, expected)
    guard expected.matches(reply) else { throw Unmet(lines: try failure(method, members, expected, reply)) }
    if case .challenge = expected {
    } else if let open = reply.openChallenges.first, reply["error"] == nil {
      throw Unmet(lines: [Self.unanswered(open)])
    }
    guard let because else { return }
    let deciding = try decidingSettings(method, members, reply)
    guard Set(because) == deciding else {
      throw Unmet(
        lines: [
          "\(method) was decided by other settings",
          "expected: because \(Set(because).sorted().joined(separator: " "))",
          "got:      \(deciding.isEmpty ? "no setting decided" : "because " + deciding.sorted().joined(separator: " "))",
        ] + (try reasons(method, members, reply)))
    }
  }

  /// Calls, and answers what the user is asked with the prepared answers.
  private func answered(_ method: String, _ members: JSONObject, _ expected: ExpectedResult) throws -> JSONValue {
    let conversation = try conversation()
    var reply = try conversation.call(method, members)
    while let challenge = reply.openChallenges.first {
      if answers.isEmpty { break }
      var open: JSONValue? = challenge
      while let asked = open, !answers.isEmpty {
        let answer = answers.removeFirst()
        let reaction = try conversation.call(
          "conditionalLaunch.answer", answer.parameters(to: asked, user: user))
        if reaction["error"] != nil {
          throw Unmet(lines: ["the answer does not fit the question: \(reaction.outcomeText)"])
        }
        open = reaction["result"]?["challenge"].flatMap { $0.isNull ? Optional.none : $0 }
      }
      reply = try conversation.call(method, members)
    }
    if case .challenge = expected { return reply }
    if reply["error"] != nil, let open = reply.openChallenges.first {
      if case .error = expected { return reply }
      throw Unmet(lines: [Self.unanswered(open)])
    }
    return reply
  }

  private static func unanswered(_ challenge: JSONValue) -> String {
    let kind = challenge["kind"]?.stringValue ?? "unknown"
    let message = challenge["message"]?.stringValue ?? ""
    return "the user was asked, and no answer was prepared (challenge \(kind)): \(message)"
  }

  /// The parameters, with the account of the last `as` if the method has an account and the line names nobody.
  private func members(_ method: String, _ parameters: [String]) throws -> JSONObject {
    guard let found = API.methods.first(where: { $0.name == method }) else { return [:] }
    let forms = ParameterForms(found)
    var members = JSONObject()
    for parameter in parameters {
      let argument = try ParameterArgument(parameter, files: place.files)
      guard members[argument.name] == nil else {
        throw CommandFailure(exitCode: 64, message: "parameter \(argument.name) is given twice")
      }
      members[argument.name] = try argument.value(forms)
    }
    let namesSubject = ["account", "accounts", "window"].contains { members[$0] != nil }
    if let user, !namesSubject, forms.hasParameter("account") { members["account"] = .string(user) }
    return members
  }
}

extension TestRun {
  /// The settings that decided: the rules of a launch that did not pass, or those that `policy.explain` names.
  private func decidingSettings(_ method: String, _ members: JSONObject, _ reply: JSONValue) throws -> Set<String> {
    if let rules = reply["result"]?["rules"]?.arrayValue {
      let fired = rules.filter { $0["outcome"] != "passed" && $0["outcome"] != "notApplicable" }
      return Set(fired.compactMap { $0["setting"]?.stringValue })
    }
    let explained = try explain(method, members)
    guard let steps = explained["result"]?["because"]?.arrayValue else {
      throw CommandFailure(exitCode: 64, message: "because cannot be checked here. \(explained.outcomeText)")
    }
    return Set(steps.filter { $0["step"] == "setting" }.compactMap { $0["setting"]?.stringValue })
  }

  private func explain(_ method: String, _ members: JSONObject) throws -> JSONValue {
    try conversation().call(API.explanation, ["query": .string(method), "params": .object(members)])
  }

  private func failure(
    _ method: String, _ members: JSONObject, _ expected: ExpectedResult, _ reply: JSONValue
  ) throws -> [String] {
    var got = reply.outcomeText
    if reply["result"]?["rules"] != nil, let verdict = reply["result"]?["verdict"]?.stringValue { got = verdict }
    let head = ["\(method) did not end as expected", "expected: \(expected.text)", "got:      \(got)"]
    return head + (try reasons(method, members, reply)) + (try whatWouldChange(method, members))
  }

  private func reasons(_ method: String, _ members: JSONObject, _ reply: JSONValue) throws -> [String] {
    if let rules = reply["result"]?["rules"]?.arrayValue {
      let fired = rules.filter { $0["outcome"] != "passed" && $0["outcome"] != "notApplicable" }
      return fired.compactMap { rule in
        rule["text"]?.stringValue.map { "\(rule["setting"]?.stringValue ?? ""): \($0)" }
      }
    }
    let steps = try explain(method, members)["result"]?["because"]?.arrayValue ?? []
    return steps.compactMap { $0["text"]?.stringValue }
  }

  private func whatWouldChange(_ method: String, _ members: JSONObject) throws -> [String] {
    let reply = try conversation().call(
      "policy.whatWouldChange", ["query": .string(method), "params": .object(members)])
    let changes = reply["result"]?["changes"]?.arrayValue ?? []
    return changes.flatMap { $0["settings"]?.arrayValue ?? [] }.compactMap { $0["text"]?.stringValue }
  }
}
