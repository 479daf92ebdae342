import JSON
import Model

/// A request from the server to a host, declared like a method. `errors` lists the errors with which a host may refuse
/// it.
protocol HostRequest: Request {
  /// What happens if no connection declared the request, if none answers in time, or if the answer is invalid.
  static var defaultOutcome: String { get }
  /// Where the request shows something to the user; `nil` if it shows nothing.
  static func screen(_ params: Params) -> ScreenNotice?
}

extension HostRequest {
  static func screen(_ params: Params) -> ScreenNotice? { nil }
}

extension API {
  /// All requests to hosts, in the order of the document.
  static let hostRequests: [any HostRequest.Type] = [
    IdentitySwitchRequired.self, BlockAccount.self, WipeDataForAccount.self, WipeAuxiliaryDataForAccount.self,
    ManagementWillBeRemoved.self, RestartApplication.self, AddIdentity.self, IsExternalURL.self, GetAccessToken.self,
    AcquireToken.self, PromptForCredentials.self, PromptForPIN.self, ShowAlert.self, ShowDiagnosticConsole.self,
    CollectLogs.self, CaptureWindow.self,
  ]
}

/// The name of a request that a host can declare to answer.
struct HostRequestName: Hashable, Sendable {
  let name: String

  init?(_ name: String) {
    guard Self.all.contains(name) else { return nil }
    self.name = name
  }

  init<R: HostRequest>(_ request: R.Type) { name = R.name }

  private static let all = API.hostRequests.map { $0.name }
}

extension HostRequestName: FieldValue {
  static func decode(_ node: JSONNode) throws(JSONDecodingError) -> HostRequestName {
    guard let text = node.string else { throw .wrongType(expected: "a string", node) }
    guard let name = HostRequestName(text) else {
      throw JSONDecodingError(.invalid("must be one of " + all.map { "\"\($0)\"" }.joined(separator: ", ")))
    }
    return name
  }

  func encode(to writer: inout JSONWriter) { writer.string(name) }

  static func schema(in components: inout SchemaComponents) -> JSONValue {
    components.reference("HostRequestName", to: Self.self) { _ in
      ["type": "string", "enum": .array(all.map(JSONValue.string))]
    }
  }
}
