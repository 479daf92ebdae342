import Bridge
import JSON
import MAM
import Model

extension StreamItem {
  /// An event, as `events.list` returns it.
  init(event: JSONValue) {
    let params = event["params"] ?? .null
    self.init(json: event, text: EventText(event.text("type"), params).text)
  }
}

/// An event in words: time, number, name, account, and what its members say.
private struct EventText {
  /// The members that are told in another way, or that repeat others.
  private static let toldAlready: Set<String> = [
    "seq", "time", "cause", "accountId", "identity", "status", "statusCode", "didSucceed", "error", "verdict", "access",
  ]

  private let type: String
  private let params: JSONValue

  init(_ type: String, _ params: JSONValue) {
    self.type = type
    self.params = params
  }

  var text: FlowText {
    var text = FlowText()
    guard type != API.eventGap else {
      let (after, last) = (params["after"]?.integerValue ?? 0, params["to"]?.integerValue ?? 0)
      text.add("\(type): the events \(after + 1) to \(last) were removed")
      return text
    }
    text.add("\(params.shownTime) #\(params["seq"]?.jsonText ?? "") \(type)")
    if let account { text.add(account) }
    addState(to: &text)
    for member in params.objectValue?.members ?? [] where !Self.toldAlready.contains(member.name) {
      if let words = words(of: member.name, member.value) { text.add(words) }
    }
    return text
  }

  /// `nil` if the event is about no account.
  private var account: String? {
    guard params["identity"] != nil || params["accountId"] != nil else { return nil }
    let names = [params["identity"], params["accountId"]].compactMap { $0?.stringValue }
    return names.first { !$0.isEmpty } ?? (names.isEmpty ? "unknown" : "no user")
  }

  /// A status or a verdict, in the color of what it means.
  private func addState(to text: inout FlowText) {
    if let verdict = params["verdict"]?.stringValue {
      text.add(verdict, Style(LaunchVerdict(rawValue: verdict)?.tone ?? .plain))
    }
    guard let status = params["status"]?.stringValue else { return }
    let code = params["statusCode"].map { " (\($0.jsonText))" } ?? ""
    let isGood = params["didSucceed"]?.boolValue ?? (status == ComplianceStatus.compliant.rawValue)
    text.add(status, isGood ? .good : .warning)
    text.add(code)
  }

  /// `nil` if the member says nothing.
  private func words(of name: String, _ value: JSONValue) -> String? {
    switch value {
    case .null: nil
    case .string(let text): text.isEmpty ? nil : text
    case .array(let elements) where elements.allSatisfy { $0["text"] != nil }:
      elements.isEmpty ? nil : elements.map { $0.text("text") }.joined(separator: " ")
    default: "\(name) \(value.jsonText)"
    }
  }
}
