import Bridge
import JSON
import TestSupport
import Testing

@testable import mambridge

/// `call METHOD --help`, and `schema METHOD`.
@Suite struct MethodHelpTests {
  private func help(_ method: String, width: Int = 80) throws -> [String] {
    MethodHelp(.object(try Schema.item(named: method)), on: Terminal(width: width)).lines
  }

  @Test("call METHOD --help shows the parameters, result, example, errors and SDK members of a method")
  func sections() throws {
    let outcome = try Program.run(["call", "policy.isSaveToAllowedForLocation", "--help"])
    #expect(outcome.status == 0)
    #expect(outcome.errors == "")
    #expect(outcome.lines.first == "policy.isSaveToAllowedForLocation")
    let titles = outcome.lines.filter { !$0.hasPrefix(" ") && $0 == $0.uppercased() }
    #expect(titles == ["PARAMETERS", "RESULT", "EXAMPLE", "ERRORS", "SDK MEMBERS"])
    for text in [
      "one of", "sharePoint", "required", "optional", "or null", "true or false", "-32602 invalidParams",
      "mambridge call policy.isSaveToAllowedForLocation", "isSaveToAllowedForLocation:withAccountId:",
    ] {
      #expect(outcome.output.contains(text), "\(text)")
    }
  }

  @Test("call METHOD --help works wherever --help is, and opens neither tenant nor state")
  func places() throws {
    let expected = try Program.run(["call", "pin.set", "--help"])
    for words in [
      ["call", "--help", "pin.set"], ["call", "-h", "pin.set"], ["--tenant", "nosuch", "call", "pin.set", "--help"],
      ["call", "pin.set", "account=x", "--state", "/nonexistent", "--help"], ["help", "call", "pin.set"],
    ] {
      #expect(try Program.run(words) == expected, "\(words)")
    }
  }

  @Test("call --help and schema suggest the nearest name for an unknown method", arguments: [["call"], ["schema"]])
  func unknown(command: [String]) throws {
    let outcome = try Program.run(command + ["policy.isPinRequred"] + (command == ["call"] ? ["--help"] : []))
    #expect(outcome.status == 64)
    #expect(outcome.output == "")
    #expect(outcome.errors.contains("Did you mean policy.isPINRequired?"), "\(outcome.errors)")
  }

  @Test("call METHOD --help fits the terminal, except for the name and the example", arguments: [40, 80, 200])
  func widths(width: Int) throws {
    let document = try JSONValue(parsing: OpenRPC.text(serverVersion: Mambridge.version))
    let items = ["methods", "x-events", "x-delegates"].flatMap { document[$0]?.arrayValue ?? [] }
    let names = items.compactMap { $0["name"]?.stringValue }
    #expect(names.count > API.allMethods.count)
    for name in names {
      let lines = Array(try help(name, width: width).dropFirst())
      let example = lines.firstIndex(of: "EXAMPLE") ?? lines.endIndex
      let next = lines[example...].dropFirst().firstIndex { !$0.isEmpty && !$0.hasPrefix(" ") } ?? lines.endIndex
      let long = (lines[..<example] + lines[next...]).filter { $0.count > width }
      #expect(long.isEmpty, "\(name): \(long)")
      #expect(!lines.contains { $0.hasSuffix(" ") }, "\(name)")
    }
  }

  /// A shell must read the line as it was meant.
  @Test("The example in the help of a method is a command line with the parameters in the schema")
  func examples() throws {
    for method in API.allMethods {
      let item = try Schema.item(named: method.name)
      let lines = try help(method.name, width: 400)
      let line = try #require(lines.first { $0.hasPrefix("  mambridge call ") }, "\(method.name)")
      let words = try Subprocess.run("/bin/sh", ["-c", "printf '%s\\n' \(line)"]).lines
      #expect(Array(words.prefix(3)) == ["mambridge", "call", method.name])
      let forms = ParameterForms(method)
      let given = try words.dropFirst(3).map { word in
        let argument = try ParameterArgument(word)
        return (argument.name, try argument.value(forms))
      }
      let expected = (item["examples"]?.arrayValue?.first?["params"]?.arrayValue ?? []).map { param in
        (param["name"]?.stringValue ?? "", param["value"] ?? .null)
      }
      #expect(JSONObject(given) == JSONObject(expected), "\(line)")
    }
  }

  @Test("The help of an event or of a request to the host has parameters, but no example")
  func others() throws {
    for name in ["policyManager.policyDidChange", "ui.promptForPIN"] {
      let lines = try help(name)
      #expect(lines.first == name)
      #expect(lines.contains("PARAMETERS"))
      #expect(!lines.contains("EXAMPLE"))
    }
  }

  @Test("schema METHOD prints one method with the schemas that it refers to")
  func oneMethod() throws {
    let outcome = try Program.run(["schema", "policy.isSaveToAllowedForLocation"])
    #expect(outcome.status == 0)
    #expect(outcome.errors == "")
    let item = try JSONValue(parsing: outcome.output)
    let all = try JSONValue(parsing: Program.run(["schema"]).output)
    var method = try #require(item.objectValue)
    method["components"] = nil
    #expect(all["methods"]?.arrayValue?.contains(.object(method)) == true)
    let location = item["components"]?["schemas"]?["SaveLocation"]
    #expect(location != nil)
    #expect(location == all["components"]?["schemas"]?["SaveLocation"])
  }

  @Test("schema --host prints the requests to a host, and schema --flat prints no references to errors")
  func forms() throws {
    let host = try JSONValue(parsing: Program.run(["schema", "--host"]).output)
    #expect(host["methods"]?.arrayValue?.contains { $0["name"] == "ui.promptForPIN" } == true)
    for words in [["schema", "--flat"], ["schema", "--flat", "pin.set"], ["schema", "--host", "--flat"]] {
      let outcome = try Program.run(words)
      #expect(outcome.status == 0)
      #expect(outcome.errors == "")
      #expect(!outcome.output.contains("#/components/errors/"))
    }
    #expect(try Program.run(["schema", "--host", "pin.set"]).status == 64)
  }

  @Test(
    "The help of a method describes types in words, such as array of text",
    arguments: [
      (["type": "string"], "text"), (["type": "boolean"], "true or false"),
      (["type": "integer", "minimum": 1, "maximum": 10_000], "integer from 1 to 10000"),
      (["type": "integer", "minimum": 0, "maximum": 9_007_199_254_740_992], "integer from 0"),
      (
        ["anyOf": [["type": "string", "format": "date-time"], ["type": "null"]]],
        "time such as 2026-01-31T09:30:00Z, or null"
      ),
      (
        ["anyOf": [["type": "string", "enum": ["a", "b"]], ["type": "integer"]]], "one of a, b, or the SDK's integer"
      ),
      (["type": "array", "items": ["type": "string"]], "array of text"),
      (["$ref": "#/components/schemas/Some"], "text"),
      (["type": "string", "contentEncoding": "base64"], "bytes as base64"), ([:], "any JSON value"),
      (["type": "object", "properties": ["a": [:], "b": [:]]], "object with a, b"),
    ] as [(JSONValue, String)])
  func types(_ schema: JSONValue, _ text: String) {
    #expect(SchemaWords(components: ["Some": ["type": "string"]]).type(of: schema) == text)
  }

  @Test(
    "quotedForShell quotes a word so that a shell reads the same word",
    arguments: ["plain", "a b", "it's", "", "$HOME", "\"q\"", "a\\b", "location=2", "~", "x:=[1,2]", "ä", "*"])
  func quoting(_ word: String) throws {
    #expect(try Subprocess.run("/bin/sh", ["-c", "printf %s \(word.quotedForShell)"]).output == word)
  }
}
