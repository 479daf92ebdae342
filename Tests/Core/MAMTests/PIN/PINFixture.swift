import Cryptography
import SQLite
import Support
import TestSupport
import Testing

@testable import MAM
@testable import Model

/// A tenant whose policy requires a PIN; any number of apps on one device, and alice enrolled in those that ask for her.
struct PINFixture {
  static let fiveTries = #""pinRequired": true, "maximumPinRetries": 5, "periodOnlineBeforeAccessCheck": "PT30M""#
  let fixture = CoreFixture()

  init(_ policy: String = fiveTries) {
    fixture.tenant.writePolicy(policy)
  }

  /// From the next check-in on.
  func manageDevice(for user: String) {
    fixture.tenant.writeTenant(more: #""mdm": {"user": "\#(TenantFolder.upn(user))"},"#)
  }

  func core(_ appId: String = "com.example.host", host: any Host = NoHost()) throws -> Core {
    var settings = Settings()
    try settings.set(flag: "MultiManagedIdentities=true")
    var configuration = CoreConfiguration(
      stateFolder: StateFolder(root: fixture.state.root, appId: appId), tenant: .folder(fixture.tenant.path),
      settings: settings, clock: fixture.clock)
    configuration.pinStretching = .quick
    // The folders are there for as long as the core.
    configuration.reportWarning = { [fixture] _ in withExtendedLifetime(fixture) {} }
    let core = Core(configuration)
    core.host = host
    return core
  }

  /// Enrolls her where she is not.
  func enrolled(_ appId: String = "com.example.host", host: any Host = NoHost()) throws -> Core {
    let core = try core(appId, host: host)
    if try core.account("alice") == nil { #expect(try core.enroll("alice") == 100) }
    return core
  }

  func advance(minutes: Int64) { fixture.clock.advance(byMilliseconds: minutes * 60_000) }

  /// The rows of device.db, as no code of the core reads them.
  func change(_ sql: String) throws {
    try Connection(path: fixture.state.device).run(sql)
  }

  func tries() throws -> Int? {
    try Connection(path: fixture.state.device).first("SELECT tries FROM pins") { row in try row.value(0) }
  }
}

extension Scrypt.Parameters {
  /// For tests that try many PINs.
  static let quick = Scrypt.Parameters(cost: 16, blockSize: 8, parallelism: 1)
}

extension PINStep {
  var summary: String {
    switch self {
    case .notRequired: "notRequired"
    case .passed: "passed"
    case .challenge(let challenge): challenge.kind.rawValue
    case .canceled: "canceled"
    case .wipe: "wipe"
    }
  }

  var challenge: Challenge? {
    if case .challenge(let challenge) = self { challenge } else { nil }
  }
}

extension Core {
  func step(_ name: String = "alice", due: Bool = true, mayAsk: Bool = true) async throws -> PINStep {
    let account = try #require(try account(name))
    return try await pins.step(for: account, window: "w", isRecheckDue: due, mayAsk: mayAsk)
  }

  /// Of alice, in a run of the host of its own.
  func launchVerdict() async throws -> LaunchVerdict {
    try await conditionalLaunch.evaluate(of: .user("alice"), window: nil, in: LaunchSession()).verdict
  }

  func stepSummary(_ name: String = "alice", due: Bool = true, mayAsk: Bool = true) async throws -> String {
    try await step(name, due: due, mayAsk: mayAsk).summary
  }

  /// What a challenge of the PIN is answered with, and what that leads to.
  func answer(_ text: String, to step: PINStep) async throws -> ChallengeReply {
    let secret = try #require(HostSecret(text))
    return try await challenges.answer(try #require(step.challenge).id, with: .pin(secret))
  }

  /// What becomes of a try.
  func tryPIN(_ text: String, _ name: String = "alice") throws -> PINVerdict {
    try refresh()
    let pin = try #require(try pins.required(of: .user(name)))
    return try pin.verdict(on: try #require(HostSecret(text)))
  }
}

/// Answers prompts in the order in which a test gives them; then nobody answers.
final class PINHost: Host {
  enum Answer: Sendable {
    case pin(String)
    case biometric(Biometric)
    case token(String)
    case canceled
  }

  private let state: Lock<(answers: [Answer], asked: [String], challenges: [Challenge])>

  init(_ answers: [Answer]) {
    state = Lock((answers, [], []))
  }

  var asked: [String] { state.withLock { $0.asked } }
  var challenges: [Challenge] { state.withLock { $0.challenges } }

  func give(_ answers: [Answer]) { state.withLock { $0.answers += answers } }

  private func next(_ name: String) -> Answer? {
    state.withLock { state in
      state.asked.append(name)
      return state.answers.isEmpty ? nil : state.answers.removeFirst()
    }
  }

  func promptForPIN(_ challenge: Challenge) async -> HostAnswer<PINEntry> {
    state.withLock { $0.challenges.append(challenge) }
    switch next(challenge.kind.rawValue) {
    case .pin(let text): return HostSecret(text).map { .value(.pin($0)) } ?? .unavailable
    case .biometric(let biometric): return .value(.biometric(biometric))
    case .canceled: return .canceled
    default: return .unavailable
    }
  }

  func promptForCredentials(
    identity: String?, window: String?, message: String
  ) async -> HostAnswer<Credentials> {
    switch next("credentials") {
    case .token(let text):
      HostSecret(text).map { .value(Credentials(userPrincipalName: identity ?? "", token: $0)) } ?? .unavailable
    case .canceled: .canceled
    default: .unavailable
    }
  }
}

extension PINs {
  func set(_ text: String, _ name: String = "alice") throws {
    try set(try #require(HostSecret(text)), of: .user(name))
  }

  func change(_ former: String, _ new: String, _ name: String = "alice") async throws {
    try await change(from: try #require(HostSecret(former)), to: try #require(HostSecret(new)), of: .user(name))
  }

  func reset(token: String = "t", _ name: String = "alice") throws {
    try reset(of: .user(name), token: try #require(HostSecret(token)))
  }
}
