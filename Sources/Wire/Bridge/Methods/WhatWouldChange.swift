import JSON
import JSONRPC
import MAM
import Model
import Policy
import Support

enum WhatWouldChange: WorkMethod {
  static let name = "policy.whatWouldChange"
  static let summary = "Find the changes of a policy after which a question has another answer."
  static let details = """
    Takes the questions and actions that policy.explain takes. Tries other values of each setting of the policy in \
    question: both booleans, each word of an enumeration, a list with one word more or less, the nearest number that \
    is enough, and the setting not set. If no setting is enough, tries pairs of the settings that have a part in the \
    answer. The settings that decided come first. At most 32 changes are returned. The same question always finds the \
    same changes, unless the search is cut off after a second, as for very many files; the text then says so.

    Each change holds: policy.explain answers otherwise if it assumes these settings. Only the policy in question is \
    changed, not that of another account. The host is asked at most once whatever it would be asked, and its answer is \
    used throughout. Nothing is changed, and content is not protected. Settings with texts, versions or times are \
    tried only without a value.
    """
  struct Params: Record {
    var query: String
    var params: JSONValue?
    static let fields = Fields(
      Self.init, Field("query", \.query, "The name of the method."),
      Field(
        "params", \.params, "The parameters of that method, by name or by position; absent or null if there are none."))
  }
  struct Result: Record {
    var verdict: JSONValue
    var changes: [PolicyChange]
    var text: String
    static let schemaName = "WhatWouldChange"
    static let fields = Fields(
      Self.init, Field("verdict", \.verdict, "What the method answers now."),
      Field(
        "changes", \.changes,
        "The changes. Each is one setting or, if no setting is enough, a pair of settings that must both change."),
      Field("text", \.text, "What was found, as English sentences."))
  }
  static let resultSummary = "The answer, and what would change it."
  static let errors = ExplainPolicy.errors
  static let example = Example(
    Params(query: IsActionAllowed.name, params: ["action": "print", "account": "alice@contoso.example"]),
    Result(
      verdict: false,
      changes: [
        PolicyChange(settings: [
          SettingChange(
            setting: "printBlocked", value: true, newValue: false,
            text: "If printBlocked is false instead of true, printing is allowed.")
        ])
      ], text: "Printing is blocked. One change of a setting would change the answer."))

  static func capture(_ params: Params, on connection: BridgeConnection) throws(RPCError) -> PreparedQuestion {
    try ExplainPolicy.prepared(params.query, params.params, on: connection)
  }

  static func answer(_ question: PreparedQuestion, on connection: BridgeConnection) async throws(MAMError) -> Result {
    let core = connection.core
    try core.refresh()
    let (state, owners) = (core.state, KnownOwners())
    let host = RememberingHost(core.host)
    let attempt: @Sendable (AssumedSettings) async throws(MAMError) -> AttemptedAnswer = {
      assumed async throws(MAMError) in
      let rooms = try core.rooms(assuming: assumed, about: question.subject, asking: host, knowing: owners)
      return try await question.attempt(in: rooms)
    }
    let now = try await question.attempt(in: core.roomsForAnswers(asking: host, knowing: owners))
    guard state.canAssume(about: question.subject) else {
      return Result(now, [], "No registered account is in question, so no setting matters.")
    }
    let policy = state.policy(inQuestion: question.subject)
    let baseline = try await attempt(AssumedSettings())
    guard baseline.essence == now.essence else {
      return Result(now, [], "The account has no policy. With any policy, \(baseline.words).")
    }
    var search = ChangeSearch(
      from: baseline, policy, on: state.device.platform, until: .now + connection.bridge.searchTime, attempt: attempt)
    try await search.run()
    let changes = search.changes.map { PolicyChange($0, on: policy?.platform ?? state.device.platform) }
    return Result(now, changes, summary(of: changes, isCutOff: search.isCutOff))
  }

  private static func summary(of changes: [PolicyChange], isCutOff: Bool) -> String {
    let cut = isCutOff ? " The search was cut off after a second, so there may be other changes." : ""
    guard let first = changes.first else {
      return isCutOff
        ? "No change was found within a second, but there may be some."
        : "No change of one or two settings would change the answer."
    }
    let kind = first.settings.count == 1 ? "a setting" : "two settings"
    if changes.count == 1 { return "One change of \(kind) would change the answer." + cut }
    return "Any one of \(changes.count) changes of \(kind) would change the answer." + cut
  }
}

extension WhatWouldChange.Result {
  fileprivate init(_ answer: AttemptedAnswer, _ changes: [PolicyChange], _ summary: String) {
    let sentence = answer.words.prefix(1).uppercased() + answer.words.dropFirst() + "."
    self.init(verdict: answer.verdict, changes: changes, text: "\(sentence) \(summary)")
  }
}

/// Settings that would have to have other values, all of them.
struct PolicyChange: Record {
  var settings: [SettingChange]
  static let fields = Fields(Self.init, Field("settings", \.settings, "The settings that must change together."))
}

/// A setting that would have to have another value.
struct SettingChange: Record {
  var setting: String
  var value: JSONValue
  var newValue: JSONValue
  var text: String
  static let fields = Fields(
    Self.init, Field("setting", \.setting, "Microsoft Graph's name of the setting."),
    Field("value", \.value, "Its value now, in Graph's form; null if it is not set."),
    Field("newValue", \.newValue, "The value that it would have; null for a setting that is not set."),
    Field("text", \.text, "The change and the answer afterwards, as an English sentence."))
}

extension PolicyChange {
  fileprivate init(_ change: ChangeSearch.Change, on platform: DevicePlatform) {
    settings = change.steps.map { step in
      let write = { (value: SettingValue?) -> JSONValue in
        value.map { step.setting.definition.write(graph: $0, on: platform) } ?? .null
      }
      let (from, to) = (write(step.from), write(step.to))
      let others = change.steps.filter { $0 != step }.map(\.setting.rawValue)
      let also = others.isEmpty ? "" : ", and \(others.listedInWords) changes as well"
      return SettingChange(
        setting: step.setting.rawValue, value: from, newValue: to,
        text: "If \(step.setting.rawValue) is \(to.setting) instead of \(from.setting)\(also), \(change.answer.words).")
    }
  }
}

extension JSONValue {
  /// The value of a setting, in words.
  fileprivate var setting: String { isNull ? "not set" : jsonText.shortened }
}

/// Asks the host each question once, and then repeats its answer.
private final class RememberingHost: Host {
  private let host: any Host
  private let answers = Lock<[String: Bool]>([:])

  init(_ host: any Host) {
    self.host = host
  }

  func identitySwitchRequired(
    to account: Account, window: String?, reason: IdentitySwitchReason
  ) async -> Bool {
    await once("\(account) \(window ?? "")") {
      await host.identitySwitchRequired(to: account, window: window, reason: reason)
    }
  }

  func isExternalURL(_ url: String, in webViewer: String) async -> Bool {
    await once("\(url) \(webViewer)") { await host.isExternalURL(url, in: webViewer) }
  }

  private func once(_ question: String, _ ask: () async -> Bool) async -> Bool {
    if let answer = answers.withLock({ $0[question] }) { return answer }
    let answer = await ask()
    answers.withLock { $0[question] = answer }
    return answer
  }
}
