import JSON
import Model

package enum SetTestPolicy: Method {
  package static let name = "debug.setPolicy"
  package static let summary = "Puts a test policy in the place of what the tenant says."
  package static let details = """
    Needs the setting DebugSettingsEnabled. The policy is in force at once, also for an account that is registered but \
    not enrolled, with policyManager.policyDidChange; it is stored, holds in every process of the app, and wins over \
    check-ins until debug.clearPolicy. Without an account it is for every account that has no test policy of its own. \
    An exported policy may be given as it is. A name that is not known, or a value that does not fit, refuses all; \
    data.path ends with it. policyManager.policy, tenant.status, diagnosticConsole.getDiagnosticInformation and the log \
    show it as a test policy, and policyManager.mamPolicySource is other. Commit point: the store's transaction.
    """
  package struct Params: Record {
    package var settings: TestSettings
    package var account: TestedAccount?
    package static let fields = Fields(
      Self.init(settings:account:),
      Field("settings", \.settings, "All that the policy sets, by the names of Graph or of the SDK."),
      Field("account", \.account, "Whose policy; without it that of every account."))
  }
  package typealias Result = Nothing
  package static let resultSummary = "Null."
  package static let errors: [APIError] = [.debugSettingsNeeded] + .store
  package static let example = Example(
    Params(settings: TestSettings([.pinRequired: .bool(true)]), account: TestedAccount("alice@contoso.example")),
    Nothing())
}

package enum ClearTestPolicy: Method {
  package static let name = "debug.clearPolicy"
  package static let summary = "Takes test policies of debug.setPolicy back."
  package static let details = """
    Needs the setting DebugSettingsEnabled. What the tenant says holds again at once, with \
    policyManager.policyDidChange. A policy of --debug-settings stays. Commit point: the store's transaction.
    """
  package struct Params: Record {
    package var account: TestedAccount?
    package static let fields = Fields(
      Self.init(account:), Field("account", \.account, "Whose test policy; without it all of them."))
  }
  package typealias Result = Nothing
  package static let resultSummary = "Null."
  package static let errors: [APIError] = [.debugSettingsNeeded] + .store
  package static let example = Example(Params(account: TestedAccount("alice@contoso.example")), Nothing())
}

/// An account that can have a policy: nobody cannot.
package struct TestedAccount: FieldValue, Hashable {
  package let reference: AccountReference

  init(_ reference: AccountReference) {
    self.reference = reference
  }

  package static func decode(_ node: JSONNode) throws(JSONDecodingError) -> TestedAccount {
    let reference = try AccountReference.decode(node)
    guard reference.kind != .noUser else {
      throw JSONDecodingError(.invalid("must name an account: no user has no policy. Leave it out for every account"))
    }
    return TestedAccount(reference)
  }

  package func encode(to writer: inout JSONWriter) { reference.encode(to: &writer) }

  package static func schema(in components: inout SchemaComponents) -> JSONValue {
    AccountReference.schema(in: &components)
  }
}
