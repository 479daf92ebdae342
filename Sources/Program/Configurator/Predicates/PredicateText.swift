/// The text of an activation predicate, to which Intune's copies of its types can be added.
///
/// Works on the raw text of an XML file: only the copies are added, and entities and lines stay as they are.
struct PredicateText {
  let original: String
  private let text: [UInt8]
  private let runs: [TypeTestRun]

  init(_ text: String) {
    original = text
    self.text = Array(text.utf8)
    runs = TypeTestRun.all(in: self.text)
  }

  /// The predicate with a copy beside every type: a copy is accepted or refused where its type is. Existing copies are
  /// not added again.
  var extended: String {
    var extended = text
    for insertion in runs.flatMap({ $0.insertions(in: text) }).reversed() {
      extended.insert(contentsOf: insertion.text, at: insertion.offset)
    }
    return String(decoding: extended, as: UTF8.self)
  }

  /// How many tests for a type the predicate has.
  var testCount: Int { runs.reduce(0) { $0 + $1.tests.count } }

  /// Whether the predicate tests for types, or is one of the constants, which need no types.
  var isUnderstood: Bool {
    let constant = original.filter { !$0.isWhitespace }.uppercased()
    return !runs.isEmpty || constant == "TRUEPREDICATE" || constant == "FALSEPREDICATE"
  }
}

/// A run of tests joined only by `||`, or by AND if each test is true when no type conforms.
struct TypeTestRun {
  struct Insertion: Equatable {
    let offset: Int
    let text: [UInt8]
  }

  private(set) var tests: [TypeTest]

  static func all(in text: [UInt8]) -> [TypeTestRun] {
    var runs: [TypeTestRun] = []
    for test in TypeTest.all(in: text) {
      if let last = runs.last?.tests.last, last.isNegated == test.isNegated,
        isConnector(text[last.range.upperBound..<test.range.lowerBound], isNegated: test.isNegated)
      {
        runs[runs.count - 1].tests.append(test)
      } else {
        runs.append(TypeTestRun(tests: [test]))
      }
    }
    return runs
  }

  private static func isConnector(_ text: ArraySlice<UInt8>, isNegated: Bool) -> Bool {
    let word = String(decoding: text.filter { $0 > 0x20 }, as: UTF8.self).uppercased()
    return (isNegated ? ["AND", "&&", "&AMP;&AMP;"] : ["OR", "||"]).contains(word)
  }

  /// If the run has brackets of its own, the copies go to its end. Otherwise AND or NOT could bind tighter, so each
  /// copy goes beside its type.
  func insertions(in text: [UInt8]) -> [Insertion] {
    var known = Set(tests.map { name($0, text) })
    let missing = tests.filter { test in
      !IntuneNames.isIntuneType(name(test, text))
        && known.insert(IntuneNames.copy(ofType: name(test, text))).inserted
    }
    guard !missing.isEmpty, let first = tests.first, let last = tests.last else { return [] }
    let join = separator(in: text)
    guard isEnclosed(first.range.lowerBound..<last.range.upperBound, in: text) else {
      return missing.flatMap { test in
        [
          Insertion(offset: test.range.lowerBound, text: Array("(".utf8)),
          Insertion(offset: test.range.upperBound, text: plainJoin + copy(of: test, text) + Array(")".utf8)),
        ]
      }
    }
    return [Insertion(offset: last.range.upperBound, text: missing.flatMap { join + copy(of: $0, text) })]
  }

  private func name(_ test: TypeTest, _ text: [UInt8]) -> String {
    String(decoding: text[test.type], as: UTF8.self).lowercased()
  }

  private func copy(of test: TypeTest, _ text: [UInt8]) -> [UInt8] {
    let type = String(decoding: text[test.type], as: UTF8.self)
    return text[test.range.lowerBound..<test.type.lowerBound] + Array(IntuneNames.copy(ofType: type).utf8)
      + text[test.type.upperBound..<test.range.upperBound]
  }

  /// Repeats the separator between the last two tests. A single test that begins a line gets its copy on a new line.
  private func separator(in text: [UInt8]) -> [UInt8] {
    guard let last = tests.last else { return plainJoin }
    if let before = tests.dropLast().last { return Array(text[before.range.upperBound..<last.range.lowerBound]) }
    let gap = text[text.beforeSpace(last.range.lowerBound)..<last.range.lowerBound]
    return gap.contains(UInt8(ascii: "\n")) ? plainJoin.dropLast() + gap : plainJoin
  }

  private var plainJoin: [UInt8] { Array((tests.first?.isNegated == true ? " AND " : " || ").utf8) }

  private func isEnclosed(_ range: Range<Int>, in text: [UInt8]) -> Bool {
    let (before, after) = (text.beforeSpace(range.lowerBound) - 1, text.afterSpace(range.upperBound))
    guard text.indices.contains(before), text.indices.contains(after) else { return false }
    return (text[before] == UInt8(ascii: "(") || text[before] == UInt8(ascii: ",")) && text[after] == UInt8(ascii: ")")
  }
}
