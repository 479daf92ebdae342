import Support
import TestSupport
import Testing

@testable import MAM
@testable import Model

@Suite struct ComplianceTests {
  private let fixture = CoreFixture()

  /// Bodies of the events that tell the end of a remediation.
  private func reports() throws -> [RecordedEvent] {
    try fixture.events().filter { $0.type == "hasComplianceStatus" }
  }

  @Test(
    "remediateCompliance reports the account's status once, with texts for the user",
    arguments: [
      ("frank", .compliant), ("bob", .notCompliant), ("carol", .serviceFailure),
      ("dave", .serviceFailure), ("erin", .serviceFailure), ("nobody", .serviceFailure),
    ] as [(String, ComplianceStatus)], [true, false])
  func statuses(_ user: (name: String, status: ComplianceStatus), _ silent: Bool) async throws {
    let core = try fixture.core()
    if user.status == .compliant { try core.enrollWithPIN(user.name) }
    #expect(try await core.compliance.remediate(.user(user.name), silent: silent) == user.status)
    let report = try #require(try reports().first?.body)
    #expect(try reports().count == 1)
    #expect(report["status"]?.stringValue == user.status.rawValue)
    #expect(report["identity"]?.stringValue == TenantFolder.upn(user.name))
    for text in ["errorMessage", "errorTitle"] { #expect(report[text]?.stringValue?.isEmpty == false) }
    #expect(!core.compliance.isInProgress(.user(user.name)))
  }

  @Test("Without a network, remediateCompliance ends with networkFailure and keeps the policy")
  func network() async throws {
    let core = try fixture.core()
    _ = try core.enroll("alice")
    _ = try await core.hostDevice.change { $0.networkAvailable = false }
    #expect(try await core.compliance.remediate(.user("alice"), silent: true) == .networkFailure)
    #expect(try await core.compliance.remediate(.user("frank"), silent: true) == .networkFailure)
    #expect(try core.requiresPIN("alice"))
  }

  @Test("remediateCompliance for no user ends with serviceFailure")
  func noUser() async throws {
    let core = try fixture.core()
    #expect(try await core.compliance.remediate(.noUser, silent: true) == .serviceFailure)
    #expect(try reports().first?.body["identity"] == "")
  }

  @Test("remediateCompliance asks the user an open challenge, or ends with interactionRequired if silent")
  func question() async throws {
    let core = try fixture.core()
    try core.enrollWithPIN("frank")
    let challenge = try core.challenges.openSignIn("frank")
    #expect(try await core.compliance.remediate(.user("frank"), silent: true) == .interactionRequired)
    let error = await #expect(throws: MAMError(.challenge, "")) {
      try await core.compliance.remediate(.user("frank"), silent: false)
    }
    #expect(error?.challenge?.id == challenge.id)
    #expect(try reports().count == 1)
    core.host = SignInHost(["prompt": .credentials(TenantFolder.upn("frank"), "t")])
    #expect(try await core.compliance.remediate(.user("frank"), silent: false) == .compliant)
    #expect(try reports().count == 2)
  }

  @Test("remediateCompliance asks for a missing PIN, or ends with interactionRequired if silent")
  func pin() async throws {
    let core = try fixture.core()
    #expect(try await core.compliance.remediate(.user("alice"), silent: true) == .interactionRequired)
    let error = await #expect(throws: MAMError(.challenge, "")) {
      try await core.compliance.remediate(.user("alice"), silent: false)
    }
    #expect(error?.challenge?.kind == .setPIN)
    try core.pins.set("2580")
    #expect(try await core.compliance.remediate(.user("alice"), silent: true) == .compliant)
  }

  @Test("If the user cancels the prompt or the challenge, one remediateCompliance ends with userCancelled")
  func cancel() async throws {
    let core = try fixture.core()
    try core.enrollWithPIN("frank")
    let challenge = try core.challenges.openSignIn("frank")
    _ = try await core.challenges.answer(challenge.id, with: .canceled)
    #expect(try await core.compliance.remediate(.user("frank"), silent: true) == .compliant)
    #expect(try await core.compliance.remediate(.user("frank"), silent: false) == .userCancelled)
    #expect(try await core.compliance.remediate(.user("frank"), silent: false) == .compliant)
    _ = try core.challenges.openSignIn("frank")
    core.host = SignInHost(["prompt": .canceled])
    #expect(try await core.compliance.remediate(.user("frank"), silent: false) == .userCancelled)
    #expect(try await core.compliance.remediate(.user("frank"), silent: false) == .compliant)
  }

  @Test("If too many wrong PINs wipe the account, remediateCompliance ends with notCompliant")
  func exhausted() async throws {
    let world = PINFixture(PINFixture.fiveTries + #", "appActionIfMaximumPinRetriesExceeded": "wipe""#)
    let core = try world.enrolled(host: PINHost(Array(repeating: .pin("0000"), count: 5)))
    try core.pins.set("2580")
    world.advance(minutes: 30)
    #expect(try await core.compliance.remediate(.user("alice"), silent: false) == .notCompliant)
    #expect(try core.account("alice")?.isWiping ?? true)
  }

  @Test("After five wrong answers of the host, remediateCompliance fails with the challenge")
  func wrong() async throws {
    let core = try fixture.core()
    _ = try core.challenges.openSignIn("alice")
    let host = SignInHost(["prompt": .credentials(TenantFolder.upn("bob"), "t")])
    core.host = host
    await #expect(throws: MAMError(.challenge, "")) {
      try await core.compliance.remediate(.user("alice"), silent: false)
    }
    #expect(host.questions.count == 5)
  }

  @Test("If the state cannot be written, remediateCompliance fails, and it can be called again")
  func unwritable() async throws {
    let core = try fixture.core()
    fixture.folder.write("no folder", to: "state")
    await #expect(throws: MAMError(.storeUnavailable, "")) {
      try await core.compliance.remediate(.user("alice"), silent: true)
    }
    #expect(!core.compliance.isInProgress(.user("alice")))
  }
}

extension Core {
  fileprivate func enrollWithPIN(_ name: String) throws {
    #expect(try enroll(name) == 100)
    try pins.set("2580", name)
  }
}
