import JSON
import Model

/// An answer that can say why. The reasons are computed only on request.
package protocol Explicable: Sendable {
  associatedtype Value
  var value: Value { get }
  var reasons: [Reason] { get }
}

/// Why an answer, or one part of it, is as it is.
package struct Reason: Sendable {
  /// The member of the answer that the reason is about, with its value; nil if the reason is about the whole answer.
  package let part: (name: String, value: JSONValue)?
  package let rule: PolicyRule
  package let setting: SettingName?
  /// The account whose policy decided; nil if that is the account in question.
  package let other: AccountReference?
  /// The settings that were not read.
  package let unread: VoidSetting.Area?

  package init<Value>(_ decision: Decision<Value>, part: (name: String, value: JSONValue)? = nil) {
    self.part = part
    rule = decision.rule
    setting = decision.setting
    other = decision.other
    unread = decision.unread
  }
}

extension Decision: Explicable {
  package var reasons: [Reason] { [Reason(self)] }
}

extension Decision<Bool> {
  /// The reason for one member of an answer.
  package func reason(for part: String) -> Reason { Reason(self, part: (part, .bool(value))) }
}

/// An answer that is made of several decisions.
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
  /// The answer for one part, in words.
  var spoken: String {
    switch self {
    case .bool(let value): value ? "yes" : "no"
    case .string(let text): text.shortened
    case .null, .integer, .number, .array, .object: jsonText.shortened
    }
  }
}

extension String {
  /// At most 120 characters of the text.
  package var shortened: String { utf8.count <= 120 || count <= 120 ? self : prefix(120) + "…" }

  /// The text with an initial capital and a final period.
  var asSentence: String {
    let start = utf8.prefix(2)
    // The first letter alone is the first character if another ASCII character follows.
    guard start.count == 2, start.allSatisfy({ $0 < 0x80 }), let first = start.first else {
      return prefix(1).uppercased() + dropFirst() + "."
    }
    let isSmall = first >= UInt8(ascii: "a") && first <= UInt8(ascii: "z")
    var sentence = ""
    sentence.reserveCapacity(utf8.count + 1)
    sentence.unicodeScalars.append(Unicode.Scalar(isSmall ? first - 0x20 : first))
    sentence.append(contentsOf: Substring(utf8.dropFirst()))
    sentence.append(".")
    return sentence
  }
}
