import JSON
import Support

/// A sign-in that was kept: a refresh token, whose it is, and what it is for.
package struct StoredSignIn: Hashable, Sendable {
  package let provider: String
  package let clientId: String
  package let scopes: [String]
  package let service: String?
  package var resource: String?
  package var account: SignInAccount
  var refreshToken: String
  /// When the refresh token came.
  package var time: Timestamp

  init(_ target: SignInTarget, _ account: SignInAccount, refreshToken: String, time: Timestamp) {
    (provider, clientId, scopes) = (target.provider, target.clientId, target.scopes)
    (service, resource) = (target.service, target.resource)
    (self.account, self.refreshToken, self.time) = (account, refreshToken, time)
  }

  /// Whether the sign-in is of this provider and client, and may lead to tokens for this service and these scopes.
  func serves(_ target: SignInTarget) -> Bool {
    isOf(target.provider, target.clientId) && (service == nil || service == target.service)
      && Set(scopes) == Set(target.scopes)
  }

  func isOf(_ provider: String, _ clientId: String) -> Bool {
    self.provider == provider && self.clientId == clientId
  }

  /// Whether the other one takes the place of this one.
  private func isReplaced(by other: StoredSignIn) -> Bool {
    isOf(other.provider, other.clientId) && service == other.service && Set(scopes) == Set(other.scopes)
      && account.isSame(as: other.account)
  }

  static func put(_ new: StoredSignIn, into all: inout [StoredSignIn]) {
    all.removeAll { $0.isReplaced(by: new) }
    all.append(new)
  }
}

extension StoredSignIn {
  /// `nil` for an object that lacks something.
  init?(_ value: JSONValue) {
    guard let provider = value["provider"]?.stringValue, let clientId = value["clientId"]?.stringValue,
      let scopes = value["scopes"]?.strings, let refreshToken = value["refreshToken"]?.stringValue,
      let names = value["names"]?.strings, let time = value["time"]?.stringValue.flatMap({ Timestamp($0) })
    else { return nil }
    (self.provider, self.clientId, self.scopes, self.refreshToken, self.time) =
      (provider, clientId, scopes, refreshToken, time)
    (service, resource) = (value["service"]?.stringValue, value["resource"]?.stringValue)
    account = SignInAccount(
      objectId: value["objectId"]?.stringValue, tenantId: value["tenantId"]?.stringValue, names: names)
  }

  var json: JSONValue {
    var object: JSONObject = [
      "provider": .string(provider), "clientId": .string(clientId), "scopes": .array(scopes.map(JSONValue.string)),
      "names": .array(account.names.map(JSONValue.string)), "refreshToken": .string(refreshToken),
      "time": .string("\(time)"),
    ]
    object["service"] = service.map(JSONValue.string)
    object["resource"] = resource.map(JSONValue.string)
    object["objectId"] = account.objectId.map(JSONValue.string)
    object["tenantId"] = account.tenantId.map(JSONValue.string)
    return .object(object)
  }

  static func list(_ text: [UInt8]) -> [StoredSignIn]? {
    guard let values = (try? JSONValue(parsing: text))?["signIns"]?.arrayValue else { return nil }
    let found = values.compactMap { StoredSignIn($0) }
    return found.count == values.count ? found : nil
  }

  static func text(_ list: [StoredSignIn]) -> [UInt8] {
    let value: JSONValue = ["signIns": .array(list.map(\.json))]
    return Array(value.jsonText.utf8)
  }
}
