import JSON
import Model

/// A file of expectations: what every test begins with, and the tests.
struct ExpectationScript: Hashable {
  let path: String
  let tests: [ExpectedTest]
}

/// One test, which has a state and a tenant of its own.
struct ExpectedTest: Hashable {
  let name: String
  let place: ExpectationPlace
  /// When its clock starts, as RFC 3339; `nil` for `defaultTime`.
  let time: String?
  /// With the lines before the first test of the file.
  var steps: [ExpectedStep]

  /// A fixed time, so that a test that passes today passes tomorrow.
  static let defaultTime = "2026-01-01T09:00:00Z"
}

/// One line of a test.
struct ExpectedStep: Hashable {
  enum Action: Hashable {
    /// A setting of the app, as in `--set`.
    case set(String)
    case actAs(Actor)
    case tenant(TenantEdit)
    case device([String])
    case network(isOn: Bool)
    /// A duration with a plus sign, or a time.
    case clock(String)
    case answer(UserAnswer)
    /// Nobody has reviewed the answers of the test.
    case unreviewed
    case call(method: String, parameters: [String], ExpectedResult, because: [String]?)
  }

  let action: Action
  let place: ExpectationPlace
}

/// Who uses which app on which platform from this line on.
struct Actor: Hashable {
  var user: String
  var app: String?
  var platform: String?
  /// The name or number of the status that the enrollment, or a check-in if there was one, must end with.
  var status: String?
}

/// A change of the test's own copy of the tenant. It counts at the next check-in.
enum TenantEdit: Hashable {
  case user(String, members: [String])
  case policy(file: String, members: [String])
  case remove(file: String)
}

/// What the user does when asked.
enum UserAnswer: Hashable {
  case pin(String)
  case signIn, accept, refuse, cancel

  /// The line of a test that answers a question of this kind.
  static func line(fitting kind: Challenge.Kind) -> String {
    switch kind {
    case .setPIN, .enterPIN, .changePIN: "answer pin=2580"
    case .credentials: "answer signIn"
    case .warning: "answer accept"
    }
  }

  /// The parameters of `conditionalLaunch.answer`. `user` is who signs in.
  func parameters(to challenge: JSONValue, user: String?) -> JSONObject {
    var members: JSONObject = ["challenge": challenge["id"] ?? .null]
    switch self {
    case .pin(let pin): members["pin"] = .string(pin)
    case .signIn:
      members["accessToken"] = "a token of the test"
      members["userPrincipalName"] =
        challenge["identity"]?.stringValue.map(JSONValue.string) ?? user.map(JSONValue.string)
    case .accept: members["accepted"] = true
    case .refuse where challenge["kind"] == "warning": members["accepted"] = false
    case .refuse, .cancel: members["canceled"] = true
    }
    return members
  }
}
