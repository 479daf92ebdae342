import JSON
import Model
import Support
import TestSupport
import Testing

@testable import Bridge

/// A notification as the argument of a test.
struct NotificationCase: Sendable, CustomTestStringConvertible {
  static let all = API.notifications.map(NotificationCase.init)

  let type: any Notification.Type

  var testDescription: String { type.name }
  var description: JSONValue {
    RequestCase.document["x-events"]?.arrayValue?.first { $0["name"] == .string(type.name) } ?? .null
  }
}

@Suite struct NotificationTests {
  @Test("The OpenRPC document lists every notification once, under a name that no method has")
  func names() {
    let listed = RequestCase.document["x-events"]?.arrayValue?.compactMap { $0["name"]?.stringValue }
    #expect(listed == API.notifications.map { $0.name })
    let names = API.notifications.map { $0.name } + RequestCase.bothWays.map { $0.method.name }
    #expect(Set(names).count == names.count)
  }

  @Test("The summaries of notifications and their params are one-line sentences", arguments: NotificationCase.all)
  func summaries(_ notification: NotificationCase) {
    let params = notification.description["params"]?.arrayValue ?? []
    for text in [notification.type.summary] + params.compactMap({ $0["summary"]?.stringValue }) {
      #expect(!text.contains("\n"), "\(text)")
      #expect(text.count > 4, "\(text)")
      #expect(text.count < 160, "\(text)")
      #expect(text.hasSuffix("."), "\(text)")
    }
  }

  @Test("The example of a notification fits its schemas in the OpenRPC document", arguments: NotificationCase.all)
  func example(_ notification: NotificationCase) throws {
    let check = SchemaCheck(components: RequestCase.components)
    let declared = try #require(notification.description["params"]?.arrayValue)
    let given = try #require(notification.description["examples"]?.arrayValue?.first?["params"]?.arrayValue)
    #expect(given.map { $0["name"] } == declared.map { $0["name"] })
    for (value, declared) in zip(given, declared) {
      #expect(check.faults(of: value["value"] ?? .null, declared["schema"] ?? .null) == [])
    }
  }

  @Test("Decoding and encoding a notification leaves its params unchanged", arguments: NotificationCase.all)
  func roundTrip(_ notification: NotificationCase) throws {
    for round in SampleValues.rounds { try check(notification.type, round) }
  }

  @Test("Decoding a notification names the param that is missing or unknown", arguments: NotificationCase.all)
  func wrongParams(_ notification: NotificationCase) throws {
    try checkFaults(notification.type)
  }

  @Test(
    "Every event of the core is declared as a notification with all of its params",
    arguments: [
      .enrollmentRequestWithStatus(.exampleEnrolled), .policyRequestWithStatus(.exampleEnrolled),
      .unenrollRequestWithStatus(.exampleEnrolled), .policyDidChange(.example), .appConfigDidChange(.example),
      .dataProtectionDidChange(.example), .mdmEnrolledAccountDidChange(.example), .managementRemoved(.example),
      .strictViolation(StrictViolation(.upnIdentityParam, in: "policy.isPINRequired", about: .example)),
      .launchReport(.exampleBlocked), .sdkDidTakeOverUI(.example), .sdkDidReleaseUI(.example),
      .restartRequired(RestartNotice(.example, message: "text")),
      .hasComplianceStatus(ComplianceReport(.example, .compliant, message: "text", title: "title")),
    ] as [CoreEvent])
  func coreEvents(_ event: CoreEvent) throws {
    let declared = try #require(API.events.first { $0.name == event.type })
    let text = EventText.params(
      EventStamp(seq: 12, time: Timestamp(milliseconds: 1_770_000_000_000)), body: event.body, cause: .example)
    let value = try JSONValue(parsing: text)
    #expect(value["seq"] == 12)
    #expect(value["time"] == "2026-02-02T02:40:00.000Z")
    #expect(try decoded(declared, value) == value)
  }

  @Test("An event whose body is {} still has seq, time and cause in its params")
  func emptyBody() throws {
    let text = EventText.params(EventStamp(seq: 1, time: Timestamp(milliseconds: 0)), body: "{}", cause: nil)
    #expect(String(decoding: text, as: UTF8.self) == #"{"seq":1,"time":"1970-01-01T00:00:00.000Z","cause":null}"#)
  }

  @Test("EventName lists all events; PushName also has logger.log and telemetryDelegate.logAriaEvent")
  func subscribable() {
    #expect(RequestCase.components["EventName"]?["enum"] == .array(API.events.map { .string($0.name) }))
    #expect(
      RequestCase.components["PushName"]?["enum"]
        == .array(
          (API.events.map { $0.name } + ["logger.log", "telemetryDelegate.logAriaEvent"]).map(JSONValue.string)))
    #expect(PushName("events.gap") == nil)
    #expect(PushName("logger.log") == .logLines)
    #expect(EventName("logger.log") == nil)
    #expect(EventName("telemetryDelegate.logAriaEvent") == nil)
    #expect(PushName("telemetryDelegate.logAriaEvent") == .telemetry)
    #expect(EventName("events.gap") == nil)
    #expect(EventName("appConfig.didChange") != nil)
  }

  @Test(
    "A notification lists exactly the SDK members that the SDK surface list assigns to it",
    .enabled(if: SharedFolder.isPresent, "the folder of facts beside the checkout is missing"),
    arguments: NotificationCase.all)
  func surface(_ notification: NotificationCase) {
    let rows = SharedFolder.rows("facts/sdk-surface-21.tsv").filter { row in
      // Such as `policyManager.sdkDidTakeOverUI+policyManager.sdkDidReleaseUI#window`.
      row[2].prefix { $0 != "#" }.split(separator: "+").contains { name in
        name == notification.type.name
          || name.hasSuffix(".*") && notification.type.name.hasPrefix(name.dropLast())
      }
    }
    #expect(notification.type.sdkMembers == rows.map { $0[1].isEmpty ? $0[0] : "\($0[0]) \($0[1])" })
  }

  private func check<N: Notification>(_ notification: N.Type, _ round: Int) throws {
    var components = SchemaComponents()
    let fields = N.Params.fields.describe(in: &components)
    var samples = SampleValues(components: components, round: round)
    var params = JSONObject(fields.map { ($0.name, samples.value(for: $0.schema)) })
    // Members of a status follow from its code.
    if params["statusCode"] != nil { params = sampleStatus(params, round) }
    #expect(try decoded(notification, .object(params)) == .object(params))
    let elements = JSONValue.array(params.members.map(\.value)).jsonText
    #expect(try N.Params.fields.decode(elements: JSONDocument(parsing: elements).root).jsonValue == .object(params))
  }

  private func sampleStatus(_ params: JSONObject, _ round: Int) -> JSONObject {
    let code = EnrollmentStatusCode.allCases[round]
    let status = EnrollmentStatus(
      accountId: params["accountId"]?.stringValue, identity: params["identity"]?.stringValue, statusCode: code,
      errorString: code.didSucceed ? nil : "text")
    var params = params
    for member in status.jsonValue.objectValue?.members ?? [] { params[member.name] = member.value }
    return params
  }

  private func checkFaults<N: Notification>(_ notification: N.Type) throws {
    let example = N.example.jsonValue.objectValue ?? [:]
    for name in example.names {
      var params = example
      params[name] = nil
      var components = SchemaComponents()
      let field = N.Params.fields.describe(in: &components).first { $0.name == name }
      guard field?.isRequired == true else { continue }
      #expect(throws: JSONDecodingError(.missing).inside(name)) { try decoded(notification, .object(params)) }
    }
    var more = example
    more["more"] = 1
    #expect(throws: JSONDecodingError(.unknown).inside("more")) { try decoded(notification, .object(more)) }
    #expect(throws: JSONDecodingError.self) { try decoded(notification, []) }
  }

  private func decoded<N: Notification>(_ notification: N.Type, _ params: JSONValue) throws -> JSONValue {
    try N.Params.decode(JSONDocument(parsing: params.jsonText).root).jsonValue
  }
}
