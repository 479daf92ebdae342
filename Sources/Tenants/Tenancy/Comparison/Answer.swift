import Model

/// What a change of a decision does.
package enum DecisionEffect: String, CaseIterable, Hashable, Sendable {
  /// More is allowed, or less is demanded, than before.
  case looser
  case tighter
  /// Data is removed that was not removed before.
  case destroys
  case other
}

/// The answer to a question, in words that are the same for equal answers.
struct Answer: Hashable, Sendable {
  let text: String
  /// A stricter answer is greater; `nil` if the answers have no order.
  var strictness: Int64?
  /// Whether data is removed.
  var removesData = false

  init(_ text: String, _ strictness: Int64? = nil, removesData: Bool = false) {
    (self.text, self.strictness, self.removesData) = (text, strictness, removesData)
  }

  static func permission(_ isAllowed: Bool) -> Answer { isAllowed ? Answer("allowed", 0) : Answer("blocked", 1) }
  static func demand(_ isRequired: Bool) -> Answer { isRequired ? Answer("required", 1) : Answer("not required", 0) }

  /// From the lenient case to the strict one.
  static func word<Word: CaseIterable & RawRepresentable<String>>(_ word: Word) -> Answer {
    let place = Word.allCases.enumerated().first { $0.element.rawValue == word.rawValue }?.offset
    return Answer(word.rawValue, place.map(Int64.init))
  }

  /// What it does to come to this answer from another one.
  func effect(from old: Answer) -> DecisionEffect {
    if removesData, !old.removesData { return .destroys }
    guard let before = old.strictness, let after = strictness, before != after else { return .other }
    return before < after ? .tighter : .looser
  }
}

/// Questions of one kind. Those of a step function are in order: neighbors with equal answers are told as an interval.
struct Questions: Sendable {
  /// A stable name of the decision.
  let decision: String
  /// The decision in words, before its subjects.
  let title: String
  /// How many questions there are.
  let count: Int
  /// The subject of the questions in a range, as words.
  let subject: @Sendable (Range<Int>) -> String
  /// `nil` if the question does not come up.
  let answer: @Sendable (ComparedShare, Int) -> Answer?

  /// Questions about each of these, none of which is next to another one.
  static func each<Subject: Sendable>(
    _ decision: String, _ title: String, _ subjects: [(String, Subject)],
    _ answer: @escaping @Sendable (ComparedShare, Subject) -> Answer?
  ) -> [Questions] {
    subjects.map { text, subject in
      Questions(decision: decision, title: title, count: 1) { _ in
        text
      } answer: { share, _ in
        answer(share, subject)
      }
    }
  }

  static func one(
    _ decision: String, _ title: String, _ answer: @escaping @Sendable (ComparedShare) -> Answer?
  ) -> [Questions] {
    each(decision, title, [("", ())]) { share, _ in answer(share) }
  }
}

/// The points at which a step function can change, and a value of each step.
struct Steps<Value: Sendable>: Sendable {
  let values: [Value]
  /// The range of values from the step at the lower bound up to the one before the upper bound, in words.
  let text: @Sendable (Range<Int>) -> String

  func questions(
    _ decision: String, _ title: String, _ answer: @escaping @Sendable (ComparedShare, Value) -> Answer?
  ) -> Questions {
    let values = values
    return Questions(decision: decision, title: title, count: values.count, subject: text) { share, index in
      answer(share, values[index])
    }
  }
}

extension Steps<Int64> {
  /// Steps that begin at these values. `unit` writes a value.
  init(startingAt starts: [Int64], from least: Int64 = 0, _ unit: @escaping @Sendable (Int64) -> String) {
    let starts = Set(starts.filter { $0 > least }).sorted()
    let values = [least] + starts
    self.init(values: values) { range in
      let low = range.lowerBound == 0 ? nil : unit(values[range.lowerBound])
      let high = range.upperBound == values.count ? nil : unit(values[range.upperBound])
      return switch (low, high) {
      case (nil, nil): "always"
      case (nil, let high?): "less than \(high)"
      case (let low?, nil): "\(low) or more"
      case (let low?, let high?): "\(low) to less than \(high)"
      }
    }
  }

  /// Times in seconds.
  init(durations: [ISODuration]) {
    self.init(startingAt: durations.map(\.seconds)) { ISODuration(seconds: $0).spoken }
  }
}

extension Steps<VersionNumber> {
  /// Everything below, between and above these versions, and the versions themselves.
  init(versions: [VersionNumber]) {
    let limits = Set(versions).filter { !$0.isZero }.sorted()
    let values = [VersionNumber("0")].compactMap { $0 } + limits.flatMap { [$0, $0.successor].compactMap { $0 } }
    self.init(values: values) { range in
      let (low, high) = (range.lowerBound, range.upperBound)
      let start = low == 0 ? "" : low.isMultiple(of: 2) ? "above \(limits[low / 2 - 1])" : "from \(limits[low / 2])"
      let end =
        high == values.count ? "" : high.isMultiple(of: 2) ? "to \(limits[high / 2 - 1])" : "below \(limits[high / 2])"
      if high == low + 1, !low.isMultiple(of: 2) { return limits[low / 2].text }
      return [start, end].filter { !$0.isEmpty }.joined(separator: " ")
    }
  }
}

extension VersionNumber {
  /// The next greater version of eight parts.
  fileprivate var successor: VersionNumber? {
    var parts = text.split { $0 == "." || $0 == "-" }.map(String.init)
    parts += Array(repeating: "0", count: 8 - parts.count)
    parts[7] = String((UInt32(parts[7]) ?? 0) &+ 1)
    return VersionNumber(parts.joined(separator: "."))
  }
}
