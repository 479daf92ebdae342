import JSON
import TestSupport
import Testing

@testable import Bridge

@Suite(.ownThreads, .timeLimit(.minutes(5))) struct ExplainEqualityTests {
  @Test(
    "policy.explain gives the same verdict as the query itself for random policies and arguments",
    arguments: [UInt64](1...24))
  func equality(seed: UInt64) throws {
    var world = try RandomHost(seed: seed)
    for query in API.questionNames {
      let method = try #require(API.methods.first { $0.name == query })
      for _ in 0..<6 {
        try world.setIdentity()
        let params = JSONValue.object(world.params.params(of: method))
        try expectSameAnswer(world.host, query, params, "seed \(seed): \(query) \(params.jsonText)")
      }
    }
    #expect(world.params.unknownNames.isEmpty)
  }

  /// Explained first: were anything changed by that, the plain answer would differ.
  private func expectSameAnswer(
    _ host: TestHost, _ query: String, _ params: JSONValue, _ place: String
  ) throws {
    let explained = try host.reply("policy.explain", ["query": .string(query), "params": params])
    let plain = try host.reply(query, params)
    #expect(explained["error"] == plain["error"], "\(place)")
    guard let result = plain["result"] else { return }
    let verdict = explained["result"]?["verdict"]
    #expect(try content(of: verdict, host) == content(of: result, host), "\(place)")
    let steps = try #require(explained["result"]?["because"]?.arrayValue)
    #expect(steps.first?["step"] == "verdict", "\(place)")
    #expect(steps.first?["value"] == verdict, "\(place)")
    #expect(steps.contains { $0["step"] == "rule" }, "\(place)")
    #expect(steps.compactMap { $0["text"]?.stringValue }.filter { !isSentence($0) } == [], "\(place)")
  }

  /// What is protected is never the same twice, but what is in it is.
  private func content(of answer: JSONValue?, _ host: TestHost) throws -> JSONValue? {
    guard answer?["clipboard"] == "protected", var object = answer?.objectValue else { return answer }
    for (name, method) in [("text", "unprotectString"), ("data", "unprotect")] {
      guard let value = object[name], !value.isNull else { continue }
      object[name] = try host.call("dataProtectionManager.\(method)", [value])
    }
    return .object(object)
  }

  private func isSentence(_ text: String) -> Bool {
    text.first?.isLowercase == false && text.hasSuffix(".") && text.count > 5 && !text.contains("..")
  }
}
