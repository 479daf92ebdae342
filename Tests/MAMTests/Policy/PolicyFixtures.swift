import JSON
import TestSupport
import Testing

@testable import MAM
@testable import Model

extension PolicyDocument {
  /// From JSON text; a misfit fails the test.
  static func of(_ id: String, _ kind: PolicyKind = .ios, _ text: String) throws -> PolicyDocument {
    var warnings: [PolicyWarning] = []
    let object = try #require(try JSONValue(parsing: text).objectValue)
    let policy = PolicyDocument(graph: object, kind: kind, source: id, fallbackID: id, warnings: &warnings)
    #expect(warnings.isEmpty)
    return policy
  }

  static func sample(_ name: String) throws -> PolicyDocument {
    let kind = try #require(PolicyKind(rawValue: String(name.prefix { $0 != "-" })))
    return try of(name, kind, try #require(SharedFolder.text("samples/\(name).json")))
  }
}

extension PolicyQuestions {
  static func of(_ text: String, account: AccountReference = "alice@contoso.example") throws -> PolicyQuestions {
    let document = try PolicyDocument.of("policy", .ios, text)
    return PolicyQuestions(policy: CompiledPolicy(merging: [document], platform: .ios), account: account)
  }
}

/// Managed accounts by UPN, of which each also has an object id.
struct FixedAccounts: AccountPolicies {
  var policies: [AccountReference: CompiledPolicy] = [:]
  var userPrincipalNames: [AccountReference: AccountReference] = [:]

  static let nobody = FixedAccounts()

  func policy(of account: AccountReference) -> CompiledPolicy? { policies[userPrincipalNames[account] ?? account] }

  func areEqual(_ first: AccountReference, _ second: AccountReference) -> Bool {
    (userPrincipalNames[first] ?? first) == (userPrincipalNames[second] ?? second)
  }
}
