import JSON
import Support

/// The outcomes of a run in the form that a reader or a program expects.
struct TestReport {
  enum Format: String, CaseIterable { case text, tap, junit, sarif, github }

  let outcomes: [TestOutcome]
  /// `nil` if nobody asked for it.
  var coverage: CoverageReport?

  private var failures: [TestOutcome] { outcomes.filter { $0.verdict != .passed } }

  func text(_ format: Format) -> String {
    switch format {
    case .text: plain
    case .tap: tap
    case .junit: junit
    case .sarif: sarif.indentedText + "\n"
    case .github: github
    }
  }

  private var plain: String {
    var text = ""
    for outcome in outcomes {
      text += "\(Self.mark(outcome.verdict))  \(outcome.name.shown)\n"
      guard outcome.verdict != .passed else { continue }
      text += "        \(outcome.file.shown):\(outcome.place.line):\(outcome.place.column)\n"
      for line in outcome.report { text += "        \(line.shown)\n" }
    }
    let broken = outcomes.filter { $0.verdict == .broken }.count
    let failed = failures.count - broken
    text += "\(outcomes.count - failures.count) passed, \(failed) failed, \(broken) could not run\n"
    return text + (coverage?.lines ?? []).map { $0 + "\n" }.joined()
  }

  private static func mark(_ verdict: TestOutcome.Verdict) -> String {
    switch verdict {
    case .passed: "pass  "
    case .failed: "FAIL  "
    case .broken: "ERROR "
    }
  }

  /// Version 14, with the reasons as comments.
  private var tap: String {
    var text = "TAP version 14\n1..\(outcomes.count)\n"
    for (index, outcome) in outcomes.enumerated() {
      let name = outcome.name.shown.escaped(["\\": "\\\\", "#": "\\#"])
      text += "\(outcome.verdict == .passed ? "ok" : "not ok") \(index + 1) - \(name)\n"
      guard outcome.verdict != .passed else { continue }
      text += "# \(outcome.file.shown):\(outcome.place.line):\(outcome.place.column)\n"
      for line in outcome.report { text += "# \(line.shown)\n" }
    }
    return text + (coverage?.lines ?? []).map { "# \($0)\n" }.joined()
  }

  private var junit: String {
    let broken = outcomes.filter { $0.verdict == .broken }.count
    var text = """
      <?xml version="1.0" encoding="UTF-8"?>
      <testsuites><testsuite name="mambridge tenant test" tests="\(outcomes.count)" \
      failures="\(failures.count - broken)" errors="\(broken)">

      """
    for outcome in outcomes {
      let attributes = "classname=\"\(outcome.file.inXML)\" name=\"\(outcome.name.inXML)\""
      guard outcome.verdict != .passed else {
        text += "<testcase \(attributes)/>\n"
        continue
      }
      let element = outcome.verdict == .failed ? "failure" : "error"
      let lines = ["line \(outcome.place.line), column \(outcome.place.column)"] + outcome.report
      text += """
        <testcase \(attributes)><\(element) message="\((outcome.report.first ?? "").inXML)">\
        \(lines.joined(separator: "\n").inXML)</\(element)></testcase>

        """
    }
    if let coverage { text += "<system-out>\(coverage.lines.joined(separator: "\n").inXML)</system-out>\n" }
    return text + "</testsuite></testsuites>\n"
  }

  /// SARIF 2.1.0: one result for each test that did not pass, and one for each setting that is not covered.
  private var sarif: JSONValue {
    let rules: [JSONValue] = ["expectation", "unusable", "coverage"].map { ["id": .string($0)] }
    let errors = failures.map { outcome -> JSONValue in
      let region: JSONValue = [
        "startLine": .integer(Int64(outcome.place.line)), "startColumn": .integer(Int64(outcome.place.column)),
      ]
      let message = (["\(outcome.name):"] + outcome.report).joined(separator: "\n")
      let rule = outcome.verdict == .failed ? "expectation" : "unusable"
      return Self.sarifResult(rule, "error", message, outcome.file, region)
    }
    let notes = (coverage?.gaps ?? []).map { setting -> JSONValue in
      let region: JSONValue = ["startLine": .integer(Int64(setting.line ?? 1))]
      return Self.sarifResult("coverage", "note", "\(setting.name): \(setting.gap ?? "")", setting.file, region)
    }
    let results = errors + notes
    let driver: JSONValue = [
      "name": "mambridge tenant test", "version": .string(Mambridge.version), "rules": .array(rules),
    ]
    return [
      "$schema": "https://json.schemastore.org/sarif-2.1.0.json", "version": "2.1.0",
      "runs": [["tool": ["driver": driver], "results": .array(results)]],
    ]
  }

  private static func sarifResult(
    _ rule: String, _ level: String, _ message: String, _ file: String, _ region: JSONValue
  ) -> JSONValue {
    let place: JSONValue = ["artifactLocation": ["uri": .string(file.inURI)], "region": region]
    let location: JSONValue = ["physicalLocation": place]
    return [
      "ruleId": .string(rule), "level": .string(level), "message": ["text": .string(message)], "locations": [location],
    ]
  }

  /// Workflow commands, which GitHub shows beside the lines of a pull request.
  private var github: String {
    var text = ""
    for outcome in failures {
      let properties = [
        "file=\(outcome.file.inProperty)", "line=\(outcome.place.line)", "col=\(outcome.place.column)",
        "title=\(outcome.name.inProperty)",
      ]
      text += "::error \(properties.joined(separator: ","))::\(outcome.report.joined(separator: "\n").inCommand)\n"
    }
    for setting in coverage?.gaps ?? [] {
      let place = ["file=\(setting.file.inProperty)"] + (setting.line.map { ["line=\($0)"] } ?? [])
      let properties = place + ["title=\(setting.name.inProperty)"]
      text += "::notice \(properties.joined(separator: ","))::\((setting.gap ?? "").inCommand)\n"
    }
    // The summaries begin with a digit and a letter, so they can be no commands.
    text += "\(outcomes.count - failures.count) of \(outcomes.count) tests passed\n"
    return text + (coverage.map { $0.summary + "\n" } ?? "")
  }
}

extension String {
  fileprivate func escaped(_ replacements: [Character: String]) -> String {
    reduce(into: "") { text, character in text += replacements[character] ?? String(character) }
  }

  /// Without the control characters that XML 1.0 cannot express.
  fileprivate var inXML: String {
    unicodeScalars.reduce(into: "") { text, scalar in
      switch scalar {
      case "&": text += "&amp;"
      case "<": text += "&lt;"
      case ">": text += "&gt;"
      case "\"": text += "&quot;"
      case "\n": text += "&#10;"
      case "\t": text += "&#9;"
      case "\u{0}"..."\u{1F}", "\u{FFFE}", "\u{FFFF}": text += "\u{FFFD}"
      default: text.unicodeScalars.append(scalar)
      }
    }
  }

  /// The text of a workflow command.
  fileprivate var inCommand: String {
    unicodeScalars.reduce(into: "") { text, scalar in
      switch scalar {
      case "%": text += "%25"
      case "\r": text += "%0D"
      case "\n": text += "%0A"
      default: text.unicodeScalars.append(scalar)
      }
    }
  }

  /// The value of a property of a workflow command.
  fileprivate var inProperty: String { inCommand.escaped([":": "%3A", ",": "%2C"]) }

  /// A relative or absolute path as a URI reference.
  fileprivate var inURI: String {
    utf8.reduce(into: "") { text, byte in
      let isPlain = byte.isAlphanumeric || "-._~/".utf8.contains(byte)
      text += isPlain ? String(Unicode.Scalar(byte)) : "%\(Hex.encode([byte]).uppercased())"
    }
  }
}
