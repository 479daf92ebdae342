import Testing

@testable import Configurator

@Suite struct PredicateTextTests {
  private static func test(_ type: String) -> String { ActivationPredicate.conforms(to: type) }

  private static let (url, image) = (test("public.url"), test("public.image"))
  private static let (intuneURL, intuneImage) = (
    test("com.microsoft.intune.mam.public.url"), test("com.microsoft.intune.mam.public.image")
  )

  static let rules: [(String, String)] = [
    ("SUBQUERY (x, $x, \(url))", "SUBQUERY (x, $x, \(url) || \(intuneURL))"),
    (
      "(\n  \(url) ||\n  \(image)\n).@count > 0",
      "(\n  \(url) ||\n  \(image) ||\n  \(intuneURL) ||\n  \(intuneImage)\n).@count > 0"
    ),
    ("(\(url) OR \(image))", "(\(url) OR \(image) OR \(intuneURL) OR \(intuneImage))"),
    ("(\(url) || \(image) || \(intuneURL))", "(\(url) || \(image) || \(intuneURL) || \(intuneImage))"),
    ("(\(url) || \(url))", "(\(url) || \(url) || \(intuneURL))"),
    ("(\(url) AND \(image))", "((\(url) || \(intuneURL)) AND (\(image) || \(intuneImage)))"),
    ("NOT \(url)", "NOT (\(url) || \(intuneURL))"),
    ("NOT (\(url))", "NOT (\(url) || \(intuneURL))"),
    (
      "(NONE x.y UTI-EQUALS 'a')", "(NONE x.y UTI-EQUALS 'a' AND NONE x.y UTI-EQUALS 'com.microsoft.intune.mam.a')"
    ),
    (
      "(any x uti-conforms-to &quot;a&quot;)",
      "(any x uti-conforms-to &quot;a&quot; || any x uti-conforms-to &quot;com.microsoft.intune.mam.a&quot;)"
    ),
    (
      "($type UTI-CONFORMS-TO \"a\" &amp;&amp; x)",
      "(($type UTI-CONFORMS-TO \"a\" || $type UTI-CONFORMS-TO \"com.microsoft.intune.mam.a\") &amp;&amp; x)"
    ),
  ]

  @Test("PredicateText.extended adds Intune's copy of each type, and only once", arguments: rules)
  func extended(rule: String, expected: String) {
    let extended = PredicateText(rule).extended
    #expect(extended == expected)
    #expect(PredicateText(extended).extended == extended)
  }

  @Test(
    "PredicateText.extended does not change text that names no type",
    arguments: [
      "", "TRUEPREDICATE", "x UTI-CONFORMS-TO $TYPE", "UTI-CONFORMS-TO \"a\"", "ANY x UTI-CONFORMS-TO \"a",
      "ANY x UTI-CONFORMS-TO \"\"", "ANY x UTI-CONFORMS-TO",
    ])
  func untouched(rule: String) {
    #expect(PredicateText(rule).extended == rule)
  }

  @Test("PredicateText understands constants and text with types, but no other text")
  func understood() {
    #expect(PredicateText(" truepredicate\n").isUnderstood)
    #expect(PredicateText(Self.url).isUnderstood)
    #expect(!PredicateText("x == 1").isUnderstood)
  }
}
