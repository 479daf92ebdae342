import Support
import TestSupport
import Testing

@testable import MAM

/// What `KnownNames` promises, one name after the other: each splits the text, and the pieces are searched for the next.
private func splitting(_ text: [UInt8], at names: ArraySlice<String>) -> [UInt8] {
  guard let name = names.first else { return text }
  let needle = Array(name.utf8)
  let isWord = !name.contains("@")
  var (result, begin, place): ([UInt8], Int, Int) = ([], 0, 0)
  func isLetter(_ index: Int) -> Bool {
    text.indices.contains(index) && Character(Unicode.Scalar(text[index])).isLetter
  }
  while place + needle.count <= text.count {
    let end = place + needle.count
    let isHere = String(decoding: text[place..<end], as: UTF8.self).lowercased() == name
    if isHere, !isWord || !isLetter(place - 1) && !isLetter(end) {
      result += splitting(Array(text[begin..<place]), at: names.dropFirst()) + Array("<\(name)>".utf8)
      (begin, place) = (end, end)
    } else {
      place += 1
    }
  }
  return result + splitting(Array(text[begin...]), at: names.dropFirst())
}

@Suite struct KnownNamesTests {
  @Test("One search for all known names gives the same result as a search for each name", arguments: 0..<40)
  func oneSearch(seed: Int) {
    var random = SeededGenerator(state: UInt64(seed))
    func word(_ letters: String, upTo count: Int) -> String {
      String((0..<Int.random(in: 0...count, using: &random)).map { _ in letters.randomElement(using: &random) ?? "a" })
    }
    for _ in 0..<100 {
      let names = (0..<Int.random(in: 0...12, using: &random)).map { _ in word("ab@ ", upTo: 5) }
      let text = word("abAB@ .", upTo: 40)
      let longestFirst = Set(names).subtracting([""]).sorted { ($1.utf8.count, $0) < ($0.utf8.count, $1) }
      let expected = String(decoding: splitting(Array(text.utf8), at: longestFirst[...]), as: UTF8.self)
      #expect(KnownNames(names).replaced(in: text) { "<\($0)>" } == expected, "\(names) in \(text)")
      let parts = (Array(names.prefix(4)), Array(names.dropFirst(4)))
      let searched = KnownNames(parts.0)
      _ = searched.replaced(in: text) { $0 }
      for known in [searched, KnownNames(parts.0)] {
        #expect(known.adding(parts.1).replaced(in: text) { "<\($0)>" } == expected, "\(names) in \(text)")
      }
    }
  }

  @Test("Each of 100,000 names with the same beginning is found")
  func manyNames() {
    let names = KnownNames((0..<100_000).map { "user\($0)@contoso.example" } + (0..<1000).map { "user\($0)" })
    let found = names.replaced(in: "USER99999@contoso.example, user7: user1000 user12@contoso.example.de") { "<\($0)>" }
    #expect(found == "<user99999@contoso.example>, <user7>: user1000 <user12@contoso.example>.de")
  }

  @Test("A search for names terminates on a line of overlapping names")
  func nested() {
    let names = KnownNames((1...64).map { String(repeating: "a", count: $0) + "@" } + ["a@a"])
    let text = String(repeating: "a", count: 4096) + "@" + String(repeating: "a@", count: 4096)
    let replaced = names.replaced(in: text) { "<\($0.utf8.count)>" }
    #expect(replaced.hasPrefix(String(repeating: "a", count: 4096 - 64) + "<65>"))
    #expect(names.replaced(in: "") { $0 } == "")
    #expect(KnownNames([""]).replaced(in: "a") { _ in "b" } == "a")
  }
}
