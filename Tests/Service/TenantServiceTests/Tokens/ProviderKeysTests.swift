import Cryptography
import HTTP
import JSON
import Support
import TestCertificates
import TestSupport
import Testing

@testable import TenantService

@Suite struct ProviderKeysTests {
  private let old, new: TestTokens
  private let provider: TestProvider
  private let keys: ProviderKeys
  private let reports = Lock([String]())

  init() throws {
    (old, new) = (try TestTokens("old"), try TestTokens("new"))
    provider = TestProvider(["keys": [try old.published()]])
    let reports = reports
    let rules = TokenRules(issuer: TestProvider.issuer, audiences: ["mam"])
    keys = ProviderKeys(rules, provider) { text in reports.withLock { $0.append(text) } }
  }

  /// `nil` if there is a key.
  private func refusal(_ name: String, after seconds: Int64) async -> TokenRefusal? {
    do throws(TokenRefusal) {
      _ = try await keys.key(name, .es256, at: TestTokens.now.advanced(by: seconds * 1000))
      return nil
    } catch {
      return error
    }
  }

  private let unknown = TokenFault.unknownKey.refusal

  @Test("The provider's keys are fetched once for many tokens")
  func once() async {
    for second in 0..<10 as Range<Int64> { #expect(await refusal("old", after: second) == nil) }
    #expect(provider.asked == ["/.well-known/openid-configuration", "/keys"])
  }

  @Test("The keys of a development tenant are never accepted")
  func development() async {
    provider.change { $0.more = ["mambridge_development": true] }
    #expect(await refusal("old", after: 0) == .unavailable(retryAfter: .seconds(1)))
    #expect(provider.keyRequests == 0)
    #expect(reports.withLock { $0.first?.contains("is a development tenant") } == true)
  }

  @Test("Concurrent requests for a key share one fetch")
  func singleFlight() async throws {
    provider.change { $0.isHeld = true }
    let waiting = (0..<20).map { _ in Task { await refusal("old", after: 0) } }
    await expectEventually(1) { provider.waitingCount }
    provider.release()
    for task in waiting { #expect(await task.value == nil) }
    #expect(provider.keyRequests == 1)
  }

  @Test("An unknown key name causes at most one fetch a minute, and is refused only after the fetch")
  func unknownName() async throws {
    #expect(await refusal("old", after: 0) == nil)
    #expect(await refusal("new", after: 20) == .unavailable(retryAfter: .seconds(40)))
    #expect(await refusal("new", after: 60) == unknown)
    #expect(provider.keyRequests == 2)
    let both = [try old.published(), try new.published()]
    provider.change { $0.keys = ["keys": .array(both)] }
    #expect(await refusal("new", after: 100) == .unavailable(retryAfter: .seconds(20)))
    #expect(await refusal("old", after: 100) == nil)
    #expect(await refusal("new", after: 120) == nil)
    #expect(provider.keyRequests == 3)
  }

  @Test("Keys stay in use for a day while the provider is down; then tokens can no longer be checked")
  func providerDown() async {
    #expect(await refusal("old", after: 0) == nil)
    provider.change { $0.isUp = false }
    #expect(await refusal("old", after: 3_500) == nil)
    #expect(provider.keyRequests == 1)
    #expect(await refusal("old", after: 86_399) == nil)
    #expect(await refusal("new", after: 86_399) != unknown)
    guard case .unavailable? = await refusal("old", after: 86_400) else {
      Issue.record("old keys were used")
      return
    }
    provider.change { $0.isUp = true }
    #expect(await refusal("old", after: 86_500) == nil)
  }

  @Test("Keys an hour old are still used while new ones are fetched")
  func refresh() async throws {
    #expect(await refusal("old", after: 0) == nil)
    provider.change { $0.isHeld = true }
    #expect(await refusal("old", after: 3600) == nil)
    await expectEventually(1) { provider.waitingCount }
    let published = try new.published()
    provider.change { $0.keys = ["keys": [published]] }
    provider.release()
    await expectEventually(2) { provider.keyRequests }
    #expect(await refusal("new", after: 3601) == nil)
  }

  @Test("A provider that is down from the start is asked again after 1 s, 2 s, and so on up to a minute")
  func backOff() async {
    provider.change { $0.isUp = false }
    var second: Int64 = 0
    for wait in [1, 2, 4, 8, 16, 32, 60, 60] as [Int64] {
      let requests = provider.asked.count
      #expect(await refusal("old", after: second) == .unavailable(retryAfter: .seconds(wait)))
      #expect(await refusal("old", after: second) == .unavailable(retryAfter: .seconds(wait)))
      #expect(provider.asked.count == requests + 1)
      second += wait
    }
    #expect(reports.withLock { $0.first } == Self.downReport)
    provider.change { $0.isUp = true }
    #expect(await refusal("old", after: second) == nil)
  }

  private static let downReport =
    "Cannot ask the identity provider at \(TestProvider.issuer)/.well-known/openid-configuration: nothing listens there"

  private static let damages: [(report: String, change: @Sendable (inout TestProvider.Answers) -> Void)] = [
    ("its issuer is https://login.attacker.example", { $0.issuer = "https://login.attacker.example" }),
    ("its issuer is a b, not", { $0.issuer = "a\u{1B}b" }),
    ("Give the issuer exactly", { $0.issuer = TestProvider.issuer + "/" }),
    ("is not an https URL", { $0.keysURL = "http://login.contoso.example/keys" }),
    ("is not an https URL", { $0.keysURL = "file:///etc/passwd" }), ("with status 302", { $0.status = 302 }),
    ("something other than a JSON object", { $0.keys = [] }), ("publishes no key", { $0.keys = ["keys": []] }),
    ("publishes no key", { $0.keys = ["keys": 7] }),
  ]

  @Test(
    "A provider with a wrong issuer, an unsafe keys URL or no usable keys gives no keys", arguments: damages.indices)
  func damaged(_ index: Int) async {
    provider.change(Self.damages[index].change)
    #expect(await refusal("old", after: 0) == .unavailable(retryAfter: .seconds(1)))
    #expect(reports.withLock { $0.first }?.contains(Self.damages[index].report) == true)
    #expect(await keys.prepare(at: TestTokens.now) == false)
  }

  @Test("The state of the provider counts failures and unknown keys and says whether it is down now")
  func standing() async {
    #expect(keys.standing == ProviderStanding())
    provider.change { $0.isUp = false }
    #expect(await keys.prepare(at: TestTokens.now) == false)
    #expect(keys.standing.isFailing)
    #expect(keys.standing.failures == 1)
    provider.change { $0.isUp = true }
    #expect(await refusal("old", after: 60) == nil)
    #expect(!keys.standing.isFailing)
    #expect(keys.standing.unknownKeys == 0)
    for name in ["guess", "other"] { #expect(await refusal(name, after: 61) != nil) }
    #expect(keys.standing.unknownKeys == 2)
    #expect(keys.standing.failures == 1)
    provider.change { $0.isUp = false }
    #expect(await keys.prepare(at: TestTokens.now.advanced(by: 3_700_000)) == false)
    #expect(keys.standing.isFailing)
    #expect(keys.standing.failures == 2)
    #expect(await refusal("old", after: 3_700) == nil)
    // Nobody knows whether a name is unknown while the provider is down.
    #expect(await refusal("guess", after: 3_700) != nil)
    #expect(keys.standing.unknownKeys == 2)
  }

  @Test("A clock that is set back does not delay the fetch of an unknown key")
  func clockSetBack() async {
    #expect(await refusal("old", after: 0) == nil)
    #expect(await refusal("new", after: -7200) == unknown)
  }

  @Test("An issuer that is not an https URL is never asked", arguments: ["http://login.contoso.example", "login", ""])
  func issuers(_ issuer: String) async {
    await #expect(throws: ProviderFailure.self) {
      try await ProviderDocument.fetch(of: issuer, over: provider, patience: .seconds(1))
    }
    #expect(provider.asked.isEmpty)
  }
}

@Suite struct KeySetTests {
  private func set(_ keys: JSONValue..., rsaAlgorithms: Set<SignatureAlgorithm> = [.rs256]) throws -> KeySet {
    try #require(KeySet(["keys": .array(keys)], rsaAlgorithms: rsaAlgorithms))
  }

  @Test("An unusable key is left out, and the other keys still work")
  func unusable() throws {
    let good = try TestTokens("good")
    let bad = try TestTokens("bad")
    let changes: [(inout JSONObject) -> Void] = [
      { $0["use"] = "enc" }, { $0["use"] = 1 }, { $0["key_ops"] = ["sign"] }, { $0["key_ops"] = "verify" },
      { $0["kty"] = "OKP" }, { $0["kty"] = "oct" }, { $0["kty"] = nil }, { $0["crv"] = "P-384" },
      { $0["crv"] = "secp256k1" }, { $0["alg"] = "ES384" }, { $0["alg"] = "RS256" }, { $0["alg"] = "none" },
      { $0["x"] = "AA" }, { $0["x"] = $0["y"] }, { $0["y"] = nil }, { $0["d"] = "AA" }, { $0["kid"] = nil },
      { $0["kid"] = "" }, { $0["x"] = .string(($0["x"]?.stringValue ?? "") + "=") },
    ]
    for change in changes {
      let keys = try set(try bad.published(change), try good.published(), 7, .null)
      #expect(keys.key("bad", .es256) == nil)
      #expect(!keys.has("bad"))
      #expect(keys.key("good", .es256) != nil)
    }
    let noSet: [JSONObject] = [[:], ["keys": [:]], ["keys": .null]]
    for object in noSet { #expect(KeySet(object, rsaAlgorithms: []) == nil) }
  }

  @Test("A key verifies only the algorithm that it names, or else those allowed for its type")
  func algorithms() throws {
    let (rsa, ec) = (try TestTokens("rsa", .rs256), try TestTokens("ec"))
    let unnamed = try set(try rsa.published(), try ec.published())
    #expect(unnamed.key("rsa", .rs256) != nil)
    #expect(unnamed.key("rsa", .ps256) == nil)
    #expect(unnamed.key("rsa", .es256) == nil)
    #expect(unnamed.key("ec", .es256) != nil)
    #expect(unnamed.key("ec", .rs256) == nil)
    let both = try set(try rsa.published(), rsaAlgorithms: [.rs256, .ps256])
    #expect(both.key("rsa", .rs256) != nil)
    #expect(both.key("rsa", .ps256) != nil)
    let named = try set(try rsa.published { $0["alg"] = "PS256" }, rsaAlgorithms: [.rs256])
    #expect(named.key("rsa", .ps256) != nil)
    #expect(named.key("rsa", .rs256) == nil)
    #expect(named.has("rsa"))
  }

  @Test("Different keys with the same name and algorithm are not used")
  func sameNames() throws {
    let (first, second, rsa) = (try TestTokens("a"), try TestTokens("a"), try TestTokens("a", .rs256))
    #expect(try set(first.published(), second.published()).key("a", .es256) == nil)
    #expect(try set(first.published(), second.published(), first.published()).key("a", .es256) == nil)
    #expect(try set(first.published(), first.published()).key("a", .es256) != nil)
    let mixed = try set(first.published(), rsa.published())
    #expect(mixed.key("a", .es256) != nil)
    #expect(mixed.key("a", .rs256) != nil)
  }

  @Test("Only the first 200 keys of a key set are read")
  func many() throws {
    let key = try TestTokens("last").published()
    let keys = [JSONValue](repeating: ["kty": "oct"], count: 200)
    #expect(KeySet(["keys": .array(keys + [key])], rsaAlgorithms: [])?.isEmpty == true)
    #expect(KeySet(["keys": .array(keys.dropLast() + [key])], rsaAlgorithms: [])?.isEmpty == false)
  }
}
