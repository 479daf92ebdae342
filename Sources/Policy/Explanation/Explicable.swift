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
