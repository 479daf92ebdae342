import JSON
import JSONRPC
import Model
import SourceProtocol

@testable import Policy
@testable import Tenancy

/// An object is read as a policy of every kind. What is read is the same each time.
func checkPolicies(_ bytes: [UInt8]) {
  guard let object = (try? JSONValue(parsing: bytes))?.objectValue else { return }
  for kind in PolicyKind.allCases {
    let (first, second) = (policy(object, kind), policy(object, kind))
    check(first == second, "a policy for \(kind) is read in two ways")
  }
}

private func policy(_ object: JSONObject, _ kind: PolicyKind) -> PolicyDocument? {
  var warnings: [PolicyWarning] = []
  return try? PolicyDocument(
    graph: object, kind: kind, source: "policy.json", fallbackID: "policy", warnings: &warnings)
}

/// A tenant.json beside the policies of the built-in tenant; in a set of files that is stored, if the input is one.
func checkTenant(_ bytes: [UInt8]) {
  var texts = SampleTenant.files
  texts["tenant.json"] = String(decoding: bytes, as: UTF8.self)
  let files = (try? TenantFileSet(stored: bytes)) ?? TenantFileSet(texts: texts)
  check((try? TenantFileSet(stored: files.stored)) == files, "stored files are read as others")
  guard let tenant = try? files.read() else { return }
  for user in ["alice@contoso.example", "87d349ed-44d7-43e1-9a83-5f2406dee5bd", ""] {
    _ = tenant.user(for: AccountReference(user))
  }
}

/// A rule that is read is met or not, on any device.
func checkFilterRule(_ bytes: [UInt8]) {
  let text = String(decoding: bytes, as: UTF8.self)
  guard let rule = try? FilterRuleParser.parse(text) else { return }
  check((try? FilterRuleParser.parse(text)) == rule, "a rule is read in two ways")
  let pixel = FilterDevice(
    managementType: .unmanaged, manufacturer: "Google", model: "Pixel 8", osVersion: "14.0")
  for device in [FilterDevice(), pixel] { _ = rule.result(on: device) }
}

/// A message of a source, or an answer, from which a tenant is made.
func checkSource(_ bytes: [UInt8]) {
  guard let document = try? JSONDocument(parsing: bytes) else { return }
  for message in ToBridge.all { readParams(of: message, document.root) }
  _ = try? SourceIntroduction.decode(document.root)
  guard let answer = try? SourceAnswer.decode(document.root) else { return }
  for outcome in SourceAnswer.Outcome.allCases { _ = try? TenantSnapshot(answer, outcome) }
  var writer = JSONWriter()
  answer.encode(to: &writer)
  let again = (try? JSONDocument(parsing: writer.bytes)).flatMap { try? SourceAnswer.decode($0.root) }
  check(again != nil, "an answer does not read what it writes: \(writer.text)")
}

private func readParams<M: SourceMessage>(of message: M.Type, _ node: JSONNode) { _ = try? M.Params.decode(node) }
