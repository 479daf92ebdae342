/// The members of a JSON object, in order. A name stands once: setting it again replaces the value in place.
public struct JSONObject: Hashable, Sendable {
  public struct Member: Hashable, Sendable {
    public let name: String
    public var value: JSONValue
  }

  public private(set) var members: [Member] = []

  public init() {}

  public init(_ members: some Sequence<(String, JSONValue)>) {
    for (name, value) in members { self[name] = value }
  }

  /// Members whose names the caller knows to be different.
  package init(unique members: [Member]) {
    self.members = members
  }

  public var count: Int { members.count }
  public var isEmpty: Bool { members.isEmpty }
  public var names: [String] { members.map(\.name) }

  public subscript(name: String) -> JSONValue? {
    get { members.first { $0.name == name }?.value }
    set {
      guard let index = members.firstIndex(where: { $0.name == name }) else {
        if let newValue { members.append(Member(name: name, value: newValue)) }
        return
      }
      if let newValue { members[index].value = newValue } else { members.remove(at: index) }
    }
  }

  /// The same members, whatever their order.
  public static func == (left: JSONObject, right: JSONObject) -> Bool {
    left.count == right.count && left.members.allSatisfy { right[$0.name] == $0.value }
  }

  public func hash(into hasher: inout Hasher) {
    hasher.combine(Set(names))
  }
}

extension JSONObject: ExpressibleByDictionaryLiteral {
  public init(dictionaryLiteral elements: (String, JSONValue)...) { self.init(elements) }
}
