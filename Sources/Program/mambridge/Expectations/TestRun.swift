import Bridge
import JSON
import Model
import Support

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
  struct Place: Sendable {
    /// A private folder, which exists and is empty.
    let folder: String
    /// `nil` for the built-in tenant.
    let tenant: String?
    let trustsParents: Bool
    /// Where `NAME=@FILE` looks for files.
    let files: String
    /// Whether a test may pass whose answers nobody has reviewed.
    var allowsUnreviewed = false
  }

  /// An expectation that was not met.
  private struct Unmet: Error { let lines: [String] }

  private let test: ExpectedTest
  private let place: Place
  private let apps: TestApps
  private var tenant: TestTenantFolder?
  private var user: String?
  /// The app and user of each enrollment.
  private var enrolled: Set<[String]> = []
  private var answers: [UserAnswer] = []
  /// The line that says that nobody has reviewed the test.
  private var unreviewed: ExpectationPlace?

  init(_ test: ExpectedTest, in place: Place) {
    (self.test, self.place) = (test, place)
    let time = Timestamp(test.time ?? ExpectedTest.defaultTime) ?? Timestamp(milliseconds: 0)
    apps = TestApps(in: place, tenant: place.folder + "/tenant", at: time)
  }

  func outcome(in file: String) -> TestOutcome {
    defer { apps.end() }
    var current = test.place
    func ended(_ verdict: TestOutcome.Verdict, _ report: [String] = []) -> TestOutcome {
      TestOutcome(file: file, name: test.name, place: current, verdict: verdict, report: report)
    }
    do {
      tenant = try TestTenantFolder(of: place.tenant, in: place.folder + "/tenant")
      for step in test.steps {
        current = step.place
        try carryOut(step)
      }
      guard answers.isEmpty else { throw Unmet(lines: ["an answer was prepared, but nothing asked the user"]) }
      if let unreviewed, !place.allowsUnreviewed {
        current = unreviewed
        throw Unmet(lines: Self.notReviewed)
      }
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

  private static let notReviewed = [
    "nobody has reviewed these answers yet",
    "read the test, correct it, and remove the line \"unreviewed\"; or run with --allow-unreviewed",
  ]

  private func carryOut(_ step: ExpectedStep) throws {
    switch step.action {
    case .set(let setting): try apps.set(setting)
    case .actAs(let actor): try act(as: actor)
    case .tenant(let edit): try tenant?.apply(edit)
    case .device(let properties): try command("device.set", properties)
    case .network(let isOn): try command("device.set", ["networkAvailable=\(isOn)"])
    case .clock(let text): try apps.moveClock(text)
    case .answer(let answer): answers.append(answer)
    case .unreviewed: unreviewed = step.place
    case .call(let method, let parameters, let result, let because):
      try check(method, parameters, result, because)
    }
  }

  /// Calls a method whose success is taken for granted.
  private func command(_ method: String, _ parameters: [String]) throws {
    let reply = try apps.call(method, members(method, parameters))
    guard reply["error"] == nil else { throw CommandFailure(exitCode: 64, message: reply.outcomeText) }
  }
}

extension TestRun {
  private func act(as actor: Actor) throws {
    if let app = actor.app { try apps.use(app) }
    if let platform = actor.platform { try command("device.set", ["platform=\(platform)"]) }
    user = actor.user
    let isNew = enrolled.insert([apps.current, actor.user]).inserted
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
}

extension TestRun {
  private func check(
    _ method: String, _ parameters: [String], _ expected: ExpectedResult, _ because: [String]?
  ) throws {
    let members = try members(method, parameters)
    let reply = try answered(method, members, expected)
    let call = TestCall(apps: apps, method: method, members: members, reply: reply)
    guard expected.matches(reply) else { throw Unmet(lines: try call.failure(expected)) }
    if case .challenge = expected {
    } else if let open = reply.openChallenges.first, reply["error"] == nil {
      throw Unmet(lines: TestCall.unanswered(open))
    }
    guard let because else { return }
    let deciding = try call.decidingSettings()
    guard Set(because) == deciding else {
      throw Unmet(
        lines: [
          "\(method) was decided by other settings",
          "expected: because \(Set(because).sorted().joined(separator: " "))",
          "got:      \(deciding.isEmpty ? "no setting decided" : "because " + deciding.sorted().joined(separator: " "))",
        ] + (try call.reasons()))
    }
  }

  /// Calls, and answers what the user is asked with the prepared answers.
  private func answered(_ method: String, _ members: JSONObject, _ expected: ExpectedResult) throws -> JSONValue {
    var reply = try apps.call(method, members)
    while let challenge = reply.openChallenges.first {
      if answers.isEmpty { break }
      var open: JSONValue? = challenge
      while let asked = open, !answers.isEmpty {
        let answer = answers.removeFirst()
        let reaction = try apps.call(
          "conditionalLaunch.answer", answer.parameters(to: asked, user: user))
        if reaction["error"] != nil {
          throw Unmet(lines: ["the answer does not fit the question: \(reaction.outcomeText)"])
        }
        open = reaction["result"]?["challenge"].flatMap { $0.isNull ? Optional.none : $0 }
      }
      reply = try apps.call(method, members)
    }
    if case .challenge = expected { return reply }
    if reply["error"] != nil, let open = reply.openChallenges.first {
      if case .error = expected { return reply }
      throw Unmet(lines: TestCall.unanswered(open))
    }
    return reply
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
