import JSON
import Model

/// An answer that can say why. Its reasons are put together only when somebody asks for them.
package protocol Explicable: Sendable {
  associatedtype Value
  var value: Value { get }
  var reasons: [Reason] { get }
}

/// What decided an answer, or one member of it.
package struct Reason: Sendable {
  /// A member of the answer, and what it is; nil for the whole.
  package let part: (name: String, value: JSONValue)?
  package let rule: PolicyRule
  package let setting: SettingName?
  /// Whose policy decided; nil for the account that was asked about.
  package let other: AccountReference?

  package init<Value>(_ decision: Decision<Value>, part: (name: String, value: JSONValue)? = nil) {
    self.part = part
    rule = decision.rule
    setting = decision.setting
    other = decision.other
  }
}

extension Decision: Explicable {
  package var reasons: [Reason] { [Reason(self)] }
}

extension Decision<Bool> {
  /// As the reason of one member of an answer.
  package func reason(for part: String) -> Reason { Reason(self, part: (part, .bool(value))) }
}

/// An answer that took several decisions.
package struct Reasoned<Value: Sendable>: Explicable {
  package let value: Value
  private let makeReasons: @Sendable () -> [Reason]

  package init(_ value: Value, because reasons: @autoclosure @escaping @Sendable () -> [Reason]) {
    self.value = value
    makeReasons = reasons
  }

  package var reasons: [Reason] { makeReasons() }

  package func map<Other: Sendable>(_ transform: (Value) -> Other) -> Reasoned<Other> {
    Reasoned<Other>(transform(value), because: makeReasons())
  }
}

extension JSONValue {
  /// The answer to a question, as a sentence.
  var spokenAnswer: String { boolValue == nil ? spokenClause.asSentence : spoken.asSentence }

  /// The same as the end of one, or as all of it.
  var spokenClause: String { boolValue == nil ? "the answer is: \(spoken)" : "the answer is \(spoken)" }

  /// An answer in words.
  var spoken: String {
    switch self {
    case .null: "nothing"
    case .bool(let value): value ? "yes" : "no"
    case .string(let text): text.shortened
    case .integer, .number: jsonText
    case .array(let elements): elements.isEmpty ? "none" : elements.map(\.quoted).joined(separator: ", ")
    case .object(let object): object.spoken
    }
  }
}

extension JSONValue {
  /// As one of several answers.
  fileprivate var quoted: String {
    if objectValue != nil { return "(\(spoken))" }
    return stringValue == nil ? spoken : "\"\(spoken)\""
  }
}

extension JSONObject {
  /// Each member with its value, but for those that are null.
  var listed: String {
    members.filter { !$0.value.isNull }.map { "\($0.name) \($0.value.quoted)" }.joined(separator: ", ")
  }

  /// Of nothing but yes and no, which names have which.
  fileprivate var spoken: String {
    guard !isEmpty, members.allSatisfy({ $0.value.boolValue != nil }) else { return listed }
    let groups = [true, false].map { answer in members.filter { $0.value.boolValue == answer }.map(\.name) }
    return zip(["yes for", "no for"], groups).filter { !$1.isEmpty }
      .map { "\($0) \($1.joined(separator: ", "))" }.joined(separator: "; ")
  }
}

extension String {
  /// Enough of it to be recognized.
  var shortened: String { count <= 120 ? self : prefix(120) + "…" }

  /// With a capital and a full stop.
  var asSentence: String { prefix(1).uppercased() + dropFirst() + "." }
}
