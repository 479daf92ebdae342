import JSON

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
