import HTTP
import JSON
import ServiceSource
import Support

/// A sign-in by device code (RFC 8628): a person enters a code at a page of the provider, on any device.
struct DeviceCodeFlow: Sendable {
  /// Longer than providers give a person.
  private static let longestLife: Int64 = 30 * 60
  private static let usualInterval: Int64 = 5
  private static let longestInterval: Int64 = 60
  private static let slowDown = Duration.seconds(5)
  /// Between attempts while the provider cannot be reached.
  private static let longestPause = Duration.seconds(60)

  let client: OAuthClient
  let target: SignInTarget
  /// The parameters of the device endpoint beside the client.
  let parameters: [(name: String, value: String)]
  let claims: String?
  let sleep: @Sendable (Duration) async throws -> Void

  /// What the device endpoint says.
  private struct Code {
    let deviceCode: String
    let prompt: SignInPrompt
    let interval: Duration
  }

  /// `show` gets the prompt, and returns false if nobody can see it.
  func tokens(show: @Sendable (SignInPrompt) async -> Bool) async throws(SignInFailure) -> TokenSet {
    let code = try await begin()
    guard await show(code.prompt) else {
      throw SignInFailure(.personNeeded, "Nobody could be asked to sign in. Sign in with: \(target.loginCommand)")
    }
    return try await poll(code)
  }

  private func begin() async throws(SignInFailure) -> Code {
    let provider = client.endpoints.provider
    guard let url = client.endpoints.device else {
      throw SignInFailure(
        .refused, "\(provider) has no sign-in by device code. Get tokens in another way, with --token-command.")
    }
    let fields = [(name: "client_id", value: target.clientId)] + parameters
    switch try await client.post(fields, to: url) {
    case .unavailable(let failure): throw failure
    case .error(let error): throw error.failure(of: target, otherwise: .refused)
    case .object(let value):
      guard let code = code(value) else {
        throw SignInFailure(
          .unavailable,
          "The answer of \(url) is no device code: it must have device_code, user_code and an https address as "
            + "verification_uri.")
      }
      return code
    }
  }

  private func code(_ value: JSONValue) -> Code? {
    guard let deviceCode = value["device_code"]?.stringValue, !deviceCode.isEmpty,
      let userCode = value["user_code"]?.stringValue, !userCode.isEmpty,
      let uri = (value["verification_uri"] ?? value["verification_url"])?.stringValue,
      WebURL(uri)?.isSafe == true
    else { return nil }
    func seconds(_ name: String, _ usual: Int64, _ range: ClosedRange<Int64>) -> Int64 {
      let said = value[name].flatMap { $0.integerValue ?? $0.stringValue.flatMap { Int64($0) } }
      return min(max(said ?? usual, range.lowerBound), range.upperBound)
    }
    let life = seconds("expires_in", Self.longestLife, 1...Self.longestLife)
    let shownCode = userCode.shown(atMost: 100)
    // In the language of the provider, if it says all that is needed.
    let theirs = value["message"]?.stringValue.flatMap { $0.contains(uri) && $0.contains(userCode) ? $0 : nil }
    let message = theirs ?? "To sign in, open \(uri) and enter the code \(shownCode)."
    let prompt = SignInPrompt(
      verificationUri: uri, userCode: shownCode, message: message.shown(atMost: 1000),
      expires: client.clock.now.advanced(by: life * 1000))
    let interval = seconds("interval", Self.usualInterval, 1...Self.longestInterval)
    return Code(deviceCode: deviceCode, prompt: prompt, interval: .seconds(interval))
  }

  private func poll(_ code: Code) async throws(SignInFailure) -> TokenSet {
    var fields = [
      (name: "grant_type", value: "urn:ietf:params:oauth:grant-type:device_code"),
      (name: "client_id", value: target.clientId), (name: "device_code", value: code.deviceCode),
    ]
    if let claims { fields.append((name: "claims", value: claims)) }
    var (interval, trouble) = (code.interval, BackOff(first: code.interval, longest: Self.longestPause))
    var pause = interval
    while true {
      do { try await sleep(pause) } catch { throw .canceled }
      guard !Task.isCancelled else { throw .canceled }
      guard client.clock.now < code.prompt.expires else {
        throw SignInFailure(.declined, "Nobody signed in before the code expired.")
      }
      pause = interval
      switch try await client.post(fields, to: client.endpoints.token) {
      case .object(let value): return try client.tokens(value)
      case .error(let error) where error.code == "authorization_pending": continue
      case .error(let error) where error.code == "slow_down":
        interval += Self.slowDown
        pause = interval
      case .error(let error): throw error.failure(of: target, otherwise: .refused)
      case .unavailable(let failure):
        pause = max(interval, min(failure.retryAfter ?? trouble.next(), Self.longestPause))
      }
    }
  }
}
