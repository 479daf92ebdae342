import Cryptography
import HTTP
import JSON
import Model
import Support
import Vault

/// A program that prints a token for Graph (`--token-command`). No shell is used.
///
/// The program learns from its environment what the token is for: MAMBRIDGE_AUTHORITY, MAMBRIDGE_RESOURCE,
/// MAMBRIDGE_SCOPES, MAMBRIDGE_CLIENT_ID, and MAMBRIDGE_CLAIMS, which is empty unless Graph has asked for claims. It prints
/// the token, or `{"accessToken": "…", "expires": "2026-01-31T09:30:00Z"}`.
package actor GraphTokenCommand: GraphTokens {
  private static let maximum = 1 << 16
  private static let reserve: Int64 = 5 * 60_000
  /// How long a token is kept whose command does not say when it expires.
  private static let usualLife: Int64 = 5 * 60_000

  private let words: [String]
  private let variables: [String: String]
  private let patience: Duration
  private let clock: any Clock
  private var current: (token: String, usableUntil: Timestamp)?

  package init(
    words: [String], authority: String, resource: String, clientId: String, patience: Duration = .seconds(60),
    clock: any Clock = SystemClock()
  ) {
    (self.words, self.patience, self.clock) = (words, patience, clock)
    variables = [
      "MAMBRIDGE_AUTHORITY": authority, "MAMBRIDGE_RESOURCE": resource, "MAMBRIDGE_SCOPES": resource + "/.default",
      "MAMBRIDGE_CLIENT_ID": clientId,
    ]
  }

  package func token(after refusal: TokenRefused?) async throws(GraphFailure) -> String {
    if refusal == nil, let current, clock.now < current.usableUntil { return current.token }
    let all = variables.merging(["MAMBRIDGE_CLAIMS": refusal?.claims ?? ""]) { $1 }.mapValues {
      $0.filter { $0 != "\0" }
    }
    let command = SecretCommand(words: words, maximum: Self.maximum, variables: all, patience: patience)
    let output = await Task(executorPreference: BlockingExecutor.shared) {
      Result { () throws(SecretCommand.Failure) in try command.run() }
    }.value
    let token = try read(output)
    current = token
    return token.token
  }

  private func read(
    _ output: Result<SecretBytes, SecretCommand.Failure>
  ) throws(GraphFailure) -> (token: String, usableUntil: Timestamp) {
    switch output {
    case .failure(.memory): throw refusal("its output does not fit in memory")
    case .failure(.program(let what)): throw GraphFailure(.signIn, "There is no token: the token command \(what).")
    case .success(let secret):
      let text = secret.withUnsafeBytes { String(decoding: $0, as: UTF8.self) }.trimmedASCII
      return try text.hasPrefix("{") ? readObject(text) : checked(text, clock.now.advanced(by: Self.usualLife))
    }
  }

  /// Other members, which many sign-in tools print too, are ignored.
  private func readObject(_ text: String) throws(GraphFailure) -> (token: String, usableUntil: Timestamp) {
    guard let value = try? JSONValue(parsing: text) else { throw refusal("it printed invalid JSON") }
    guard let token = value["accessToken"]?.stringValue else { throw refusal("its JSON object has no accessToken") }
    guard let expires = value["expires"], !expires.isNull else {
      return try checked(token, clock.now.advanced(by: Self.usualLife))
    }
    guard let time = expires.stringValue.flatMap({ Timestamp($0) }) else {
      throw refusal("expires must be a time such as 2026-01-31T09:30:00Z")
    }
    return try checked(token, time.advanced(by: -Self.reserve))
  }

  private func checked(
    _ token: String, _ usableUntil: Timestamp
  ) throws(GraphFailure) -> (token: String, usableUntil: Timestamp) {
    guard token.isHeaderText else { throw refusal("it printed something other than a token or a JSON object") }
    return (token, usableUntil)
  }

  private func refusal(_ reason: String) -> GraphFailure {
    GraphFailure(.signIn, "There is no token: the token command succeeded, but \(reason).")
  }
}
