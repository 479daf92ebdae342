import Configurator
import TestSupport
import Testing

@Suite struct UnifiedDiffTests {
  private func diff(_ old: String, _ new: String) -> String {
    String(decoding: UnifiedDiff(from: Array(old.utf8), to: Array(new.utf8)).text(from: "a", to: "b"), as: UTF8.self)
  }

  private static let numbers = (1...20).map { "\($0)\n" }.joined()

  static let texts: [(String, String)] = [
    ("", "one\n"), ("one\n", ""), ("one", "one\n"), ("one\n", "one"), ("a\r\nb\r\n", "a\r\nx\r\nb\r\n"),
    (numbers, numbers.replacing("3\n", with: "three\n")), (numbers, numbers.replacing("10\n", with: "")),
    (numbers, "0\n" + numbers + "21\n"),
    (numbers, numbers.replacing("4\n", with: "x\n").replacing("11\n", with: "y\n")),
    (numbers, numbers.replacing("4\n", with: "x\n").replacing("12\n", with: "y\n")), (numbers, "other"),
  ]

  @Test("patch turns the old text into the new text with a UnifiedDiff", arguments: texts)
  func patch(old: String, new: String) throws {
    let folder = TemporaryFolder()
    let target = folder.write(old, to: "target")
    let patch = folder.write(diff(old, new), to: "patch")
    let outcome = try Subprocess.run("/usr/bin/patch", ["--quiet", "--binary", "--fuzz=0", target, patch])
    #expect(outcome.status == 0, "\(outcome)")
    #expect((readFile(target) ?? []) == Array(new.utf8))
  }

  @Test("UnifiedDiff prints three lines before and after a change")
  func hunks() {
    #expect(
      diff(Self.numbers, Self.numbers.replacing("\n10\n", with: "\nten\n"))
        == "--- a\n+++ b\n@@ -7,7 +7,7 @@\n 7\n 8\n 9\n-10\n+ten\n 11\n 12\n 13\n")
    #expect(diff("one", "one\n") == "--- a\n+++ b\n@@ -1 +1 @@\n-one\n\\ No newline at end of file\n+one\n")
  }

  @Test("UnifiedDiff of two equal texts is empty")
  func same() {
    #expect(diff(Self.numbers, Self.numbers) == "")
  }
}
