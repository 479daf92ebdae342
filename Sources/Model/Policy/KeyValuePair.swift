/// A name and its value, as Graph lists settings that have no member of their own.
public struct KeyValuePair: Hashable, Sendable {
  public var name: String
  public var value: String

  public init(name: String, value: String) {
    self.name = name
    self.value = value
  }
}
