import Cryptography
import HTTP
import JSON
import Support

/// The signing keys of an identity provider. Fetched when they are first needed, again each hour, and when a token names
/// a key that is not among them; at most once a minute, and once for all requests that wait.
///
/// If the provider cannot be reached, its last keys serve for a day. After that, or for a key that is not among them,
/// nobody can say whether a token is valid.
final class ProviderKeys: Sendable {
  private struct State {
    var keys: KeySet?
    var fetched = Timestamp(milliseconds: 0)
    var nextFetch = Timestamp(milliseconds: .min)
    var failures = 0
    var fetch: Task<Bool, Never>?
    var standing = ProviderStanding()

    /// Whether the keys are those of now.
    func isFresh(at now: Timestamp) -> Bool {
      !standing.isFailing && now < fetched.advanced(by: ProviderKeys.freshFor) && now >= fetched
    }
  }

  private enum Finding {
    case key(SignatureKey, isOld: Bool)
    /// There is a key of this name, but for another algorithm.
    case otherAlgorithm
    case unknown
  }

  /// In milliseconds.
  private static let freshFor: Int64 = 3_600_000
  private static let usableFor: Int64 = 24 * 3_600_000
  private static let pause: Int64 = 60_000
  private static let shortestPause: Int64 = 1000

  private static let patience = Duration.seconds(5)
  private static let largestBody = 1 << 20

  private let rules: TokenRules
  private let client: any HTTPClient
  private let report: @Sendable (String) -> Void
  private let state = Lock(State())

  init(_ rules: TokenRules, _ client: any HTTPClient, _ report: @escaping @Sendable (String) -> Void) {
    (self.rules, self.client, self.report) = (rules, client, report)
  }

  func key(
    _ name: String, _ algorithm: SignatureAlgorithm, at now: Timestamp
  ) async throws(TokenRefusal) -> SignatureKey {
    if let key = try known(name, algorithm, at: now) { return key }
    guard let fetch = startFetch(at: now) else {
      state.withLock { state in
        if state.isFresh(at: now) { state.standing.unknownKeys += 1 }
      }
      throw unavailable(at: now)
    }
    guard await fetch.value else { throw unavailable(at: now) }
    if let key = try known(name, algorithm, at: now) { return key }
    state.withLock { $0.standing.unknownKeys += 1 }
    throw TokenFault.unknownKey.refusal
  }

  /// What is known about the provider.
  var standing: ProviderStanding { state.withLock(\.standing) }

  /// Fetches the keys if there are none yet, the last attempt has failed, or they are old. Returns whether they are those
  /// of now.
  func prepare(at now: Timestamp) async -> Bool {
    if state.withLock({ $0.isFresh(at: now) }) { return true }
    return await startFetch(at: now)?.value ?? false
  }

  /// `nil` if only a fetch can say.
  private func known(
    _ name: String, _ algorithm: SignatureAlgorithm, at now: Timestamp
  ) throws(TokenRefusal) -> SignatureKey? {
    switch state.withLock({ Self.find(name, algorithm, in: $0, at: now) }) {
    case .key(let key, let isOld):
      if isOld { _ = startFetch(at: now) }
      return key
    case .otherAlgorithm: throw TokenFault.wrongAlgorithm.refusal
    case .unknown: return nil
    }
  }

  private static func find(
    _ name: String, _ algorithm: SignatureAlgorithm, in state: State, at now: Timestamp
  ) -> Finding {
    guard let keys = state.keys, now < state.fetched.advanced(by: usableFor) else { return .unknown }
    if let key = keys.key(name, algorithm) {
      return .key(key, isOld: now >= state.fetched.advanced(by: freshFor))
    }
    return keys.has(name) ? .otherAlgorithm : .unknown
  }

  /// The running fetch, or a new one; `nil` if it is too early for one.
  private func startFetch(at now: Timestamp) -> Task<Bool, Never>? {
    state.withLock { state -> Task<Bool, Never>? in
      if let running = state.fetch { return running }
      // A clock that was set back must not delay the fetch for longer than the pause.
      let isEarly = now < state.nextFetch && now >= state.nextFetch.advanced(by: -Self.pause)
      guard !isEarly else { return nil }
      state.fetch = Task { [self] in await fetch(at: now) }
      return state.fetch
    }
  }

  private func fetch(at now: Timestamp) async -> Bool {
    do throws(ProviderFailure) {
      let keys = try await fetchKeys()
      state.withLock { state in
        (state.keys, state.fetched, state.failures, state.fetch) = (keys, now, 0, nil)
        state.nextFetch = now.advanced(by: Self.pause)
        state.standing.isFailing = false
      }
      return true
    } catch {
      state.withLock { state in
        (state.failures, state.fetch) = (state.failures + 1, nil)
        let pause = Self.shortestPause << min(Int64(state.failures - 1), 6)
        state.nextFetch = now.advanced(by: min(pause, Self.pause))
        state.standing.isFailing = true
        state.standing.failures += 1
      }
      report(error.text)
      return false
    }
  }

  private func fetchKeys() async throws(ProviderFailure) -> KeySet {
    let document = try await ProviderDocument.fetch(of: rules.issuer, over: client, patience: Self.patience)
    guard document.members[DevelopmentMark.member] == nil else { throw DevelopmentMark.refusal(of: rules.issuer) }
    let url = try document.endpoint("jwks_uri")
    let object = try await client.providerObject(at: url, patience: Self.patience, largestBody: Self.largestBody)
    guard let keys = KeySet(object, rsaAlgorithms: rules.rsaAlgorithms), !keys.isEmpty else {
      throw ProviderFailure("The identity provider publishes no key at \(url) that can be used for signatures.")
    }
    return keys
  }

  /// The header `Date` of the provider. Only https proves whose header it is.
  func providerTime() async -> Timestamp? {
    guard rules.issuer.hasPrefix("https://") else { return nil }
    let url = ProviderDocument.url(of: rules.issuer)
    let request = HTTPRequest("GET", url, headers: HTTPHeaders(["Cache-Control": "no-cache"]))
    let response = try? await client.send(request, patience: Self.patience, largestBody: Self.largestBody)
    guard let response, response.status == 200 else { return nil }
    return response.headers["Date"].flatMap(Timestamp.init(httpDate:))
  }

  private func unavailable(at now: Timestamp) -> TokenRefusal {
    let rest = state.withLock { $0.nextFetch.milliseconds - now.milliseconds }
    return .unavailable(retryAfter: .milliseconds(min(max(rest, 1000), Self.pause)))
  }
}
