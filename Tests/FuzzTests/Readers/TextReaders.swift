import HTTP
import JSON
import PhoneLogs
import PropertyList

@testable import Configurator

/// A URL, and the path and query of a request.
func checkHTTP(_ bytes: [UInt8]) {
  let text = String(decoding: bytes, as: UTF8.self)
  if let target = HTTPTarget(text) {
    check(target == HTTPTarget(text), "a target is read in two ways")
    check(target.path.allSatisfy { !$0.contains("\0") }, "a path has a NUL")
    check(target.query.allSatisfy { !$0.name.contains("\0") && !$0.value.contains("\0") }, "a query has a NUL")
  }
  guard let url = WebURL(text) else { return }
  check((1...65_535).contains(url.port), "the port \(url.port)")
  check(!url.host.isEmpty && !url.host.contains("@"), "the host \(url.host)")
  if !url.target.isEmpty { check(url.target.hasPrefix("/"), "the target \(url.target)") }
}

/// A property list. As text, an edit by the configurator leaves a property list.
func checkPropertyList(_ bytes: [UInt8]) {
  guard let value = try? PropertyList.parse(bytes) else { return }
  check((try? PropertyList.parse(bytes)) == value, "a property list is read in two ways")
  guard let file = try? PropertyListFile(path: "Info.plist", bytes: bytes) else { return }
  check(file.root == value, "a file of a property list has another value")
}

/// Copies of types are added once.
func checkPredicate(_ bytes: [UInt8]) {
  let extended = PredicateText(String(decoding: bytes, as: UTF8.self)).extended
  let again = PredicateText(extended).extended
  check(again == extended, "a predicate is extended twice: \(again)")
}

/// A log, whole and in pieces.
func checkLog(_ bytes: [UInt8]) {
  let (whole, pieces) = (examination(of: [bytes[...]]), examination(of: bytes.halves))
  check(whole.lineCount == pieces.lineCount, "the lines differ by the pieces of the log")
  check(whole.entries.map(\.line) == pieces.entries.map(\.line), "the codes differ by the pieces of the log")
  check(whole.entries.allSatisfy { 1...whole.lineCount ~= $0.line }, "a code in a line that is not there")
  check(whole.entries.count <= 500, "\(whole.entries.count) codes")
}

private func examination(of pieces: [ArraySlice<UInt8>]) -> Examination {
  var (splitter, examiner) = (LineSplitter(), Examiner())
  for piece in pieces { splitter.add(piece) { examiner.add($0, mayBeCut: !$1) } }
  splitter.finish { examiner.add($0, mayBeCut: !$1) }
  return examiner.finish()
}

extension [UInt8] {
  fileprivate var halves: [ArraySlice<UInt8>] { [prefix(count / 2), dropFirst(count / 2)] }
}
