/// What in a policy source was ignored, and where.
public struct PolicyWarning: Hashable, Sendable {
  /// The file or the policy.
  public var source: String
  /// The member; nil for the whole.
  public var member: String?
  public var text: String

  public init(_ source: String, _ member: String?, _ text: String) {
    self.source = source
    self.member = member
    self.text = text
  }

  public init(_ source: String, _ text: String) {
    self.init(source, nil, text)
  }
}

extension PolicyWarning: CustomStringConvertible {
  public var description: String { member.map { "\(source): \($0): \(text)" } ?? "\(source): \(text)" }
}
