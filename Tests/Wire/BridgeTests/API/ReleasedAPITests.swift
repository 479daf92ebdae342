import JSON
import Testing

@Suite struct ReleasedAPITests {
  private static let old: JSONValue = [
    "methods": [
      [
        "name": "a.one", "params": [["name": "first"], ["name": "second"]], "errors": [["$ref": "#/lost"]],
        "result": ["schema": ["type": "object", "properties": ["size": ["type": "integer"]]]],
      ]
    ],
    "components": [
      "schemas": ["Place": ["anyOf": [["enum": ["here", "there"]]]]], "errors": ["lost": ["code": 1100]],
    ],
    "x-errors": [["$ref": "#/any"]], "x-limits": ["message": ["value": 64]],
    "x-session": ["errorData": [["name": "hint"]]],
  ]

  @Test("ReleasedAPI.losses is empty for an added parameter and for a rename with x-former-name")
  func additions() {
    #expect(ReleasedAPI.losses(from: Self.old, to: Self.old) == [])
    let more = changed(#""second"}"#, #""second"},{"name":"third"}"#)
    #expect(ReleasedAPI.losses(from: Self.old, to: more) == [])
    let renamed = changed(#""first""#, #""primary","x-former-name":"first""#)
    #expect(ReleasedAPI.losses(from: Self.old, to: renamed) == [])
  }

  @Test(
    "ReleasedAPI.losses names each removed, moved or changed part of the schema",
    arguments: [
      (#""name":"a.one""#, #""name":"a.two""#, "method a.one"),
      (#""first""#, #""primary""#, "method a.one: parameter 0 first"),
      (#""first"},{"name":"second""#, #""second"},{"name":"first""#, "method a.one: parameter 0 first"),
      ("1100", "1101", "error lost: 1100"),
      ("#/lost", "#/found", "method a.one: #/lost"),
      (#""size""#, #""length""#, "method a.one: result.size"),
      (#""there""#, #""elsewhere""#, #"schema Place: value "there""#),
      ("#/any", "#/none", "any error #/any"),
      (#""message""#, #""messages""#, "limit message"),
      (#""hint""#, #""tip""#, "session errorData: hint"),
      (#""name":"second""#, #""name":"second","required":true"#, "method a.one: parameter 1 is required"),
    ])
  func losses(_ before: String, _ after: String, _ loss: String) {
    #expect(ReleasedAPI.losses(from: Self.old, to: changed(before, after)).contains(loss))
  }

  private func changed(_ before: String, _ after: String) -> JSONValue {
    let text = Self.old.jsonText
    guard let range = text.ranges(of: before).first else { return .null }
    return (try? JSONValue(parsing: text.replacingCharacters(range, after))) ?? .null
  }
}

extension String {
  fileprivate func replacingCharacters(_ range: Range<Index>, _ new: String) -> String {
    String(self[..<range.lowerBound]) + new + String(self[range.upperBound...])
  }
}
