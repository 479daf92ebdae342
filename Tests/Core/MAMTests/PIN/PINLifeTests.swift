import Glibc
import SQLite
import Support
import TestSupport
import Testing

@testable import MAM
@testable import Model

@Suite("The life of a PIN", .timeLimit(.minutes(5))) struct PINLifeTests {
  @Test("A PIN can be set, changed and reset, each only in a state that allows it")
  func life() async throws {
    let core = try PINFixture().enrolled()
    let none = PINStatus(required: true, isSet: false, retriesLeft: 5)
    #expect(try core.pins.status(of: .user("alice")) == none)
    await #expect(throws: MAMError(.pinNotSet, "")) { try await core.pins.change("1", "2") }
    #expect(throws: MAMError(.pinNotSet, "")) { try core.pins.reset() }
    try core.pins.set("2580")
    #expect(throws: MAMError(.pinAlreadySet, "")) { try core.pins.set("8520") }
    #expect(try core.pins.status(of: nil) == PINStatus(required: true, isSet: true, retriesLeft: 5))
    let wrong = try #require(await #expect(throws: MAMError.self) { try await core.pins.change("0000", "8520") })
    #expect(wrong.code == .wrongPIN)
    #expect(wrong.hint?.contains("4") == true)
    #expect(wrong.messageKey == "Enter_Pin_Error")
    #expect(try core.pins.status(of: nil).retriesLeft == 4)
    try await core.pins.change("2580", "8520")
    #expect(try core.tryPIN("2580") == .wrong(triesLeft: 4))
    #expect(try core.tryPIN("8520") == .right(mustChange: false))
    #expect(throws: MAMError(.tokenRefused, "")) { try core.pins.reset(token: "") }
    try core.pins.reset()
    #expect(try core.pins.status(of: .user("alice")) == none)
    #expect(try core.tryPIN("8520") == .notSet)
  }

  @Test("A PIN cannot be set without a policy that requires it, or reset if the device's PIN replaces it")
  func notRequired() throws {
    let world = PINFixture(PINFixture.fiveTries + #", "disableAppPinIfDevicePinIsSet": true"#)
    world.manageDevice(for: "alice")
    let core = try world.enrolled()
    #expect(throws: MAMError(.pinNotRequired, "")) { try core.pins.set("2580", "bob") }
    #expect(throws: MAMError(.pinNotRequired, "")) { try core.pins.set("2580", "stranger") }
    try core.pins.set("2580")
    _ = try core.hostDevice.store { $0.devicePinSet = true }
    #expect(try core.pins.status(of: nil) == PINStatus(required: false, isSet: true))
    #expect(throws: MAMError(.pinNotRequired, "")) { try core.pins.reset() }
  }

  @Test("The device's own PIN replaces the app's only while the device is managed, for any user")
  func managedDevice() async throws {
    let world = PINFixture(PINFixture.fiveTries + #", "disableAppPinIfDevicePinIsSet": true"#)
    let core = try world.enrolled()
    _ = try core.hostDevice.store { $0.devicePinSet = true }
    #expect(try await core.stepSummary() == "setPIN")
    #expect(try core.pins.status(of: .user("alice")).required)
    for user in ["alice", "frank"] {
      world.manageDevice(for: user)
      #expect(try core.checkIn("alice") == [101])
      #expect(try await core.stepSummary() == "notRequired")
    }
    // A source that cannot be read says nothing about the device.
    world.fixture.tenant.folder.write("{", to: "tenant.json")
    #expect(try core.checkIn("alice") == [206])
    #expect(try await core.stepSummary() == "notRequired")
    world.fixture.tenant.writeTenant()
    #expect(try core.checkIn("alice") == [101])
    #expect(try await core.stepSummary() == "setPIN")
  }

  @Test("Removing the device's own PIN makes the app's PIN required again")
  func devicePIN() async throws {
    let world = PINFixture(PINFixture.fiveTries + #", "disableAppPinIfDevicePinIsSet": true"#)
    world.manageDevice(for: "alice")
    let core = try world.enrolled()
    #expect(try await core.stepSummary() == "setPIN")
    _ = try core.hostDevice.store { $0.devicePinSet = true }
    #expect(try await core.stepSummary() == "notRequired")
    #expect(try core.challenges.all(about: .user("alice")).isEmpty)
    _ = try core.hostDevice.store { $0.devicePinSet = false }
    #expect(try await core.stepSummary() == "setPIN")
  }

  @Test(
    "A new PIN cannot be one of the last previousPinBlockCount PINs, including the current one", arguments: [0, 1, 3])
  func history(_ count: Int) async throws {
    let core = try PINFixture(PINFixture.fiveTries + #", "previousPinBlockCount": \#(count)"#).enrolled()
    let pins = ["1001", "2002", "3003", "4004", "5005"]
    try core.pins.set(pins[0])
    for (former, new) in zip(pins, pins.dropFirst()) { try await core.pins.change(former, new) }
    for (index, pin) in pins.enumerated().reversed() {
      guard pins.count - index <= count else { continue }
      let error = await #expect(throws: MAMError.self) { try await core.pins.change("5005", pin) }
      #expect(error?.code == .pinNotAllowed)
      #expect(error?.messageKey == "Passcode_History_Requirements_Unmet")
    }
    try core.pins.reset()
    if count > 0 { #expect(throws: MAMError(.pinNotAllowed, "")) { try core.pins.set("5005") } }
    try core.pins.set(pins[pins.count - 1 - count])
  }

  @Test("An expired PIN must be entered and then changed, and the new PIN gets a new expiry time")
  func expiry() async throws {
    let world = PINFixture(PINFixture.fiveTries + #", "periodBeforePinReset": "P1D", "previousPinBlockCount": 1"#)
    let core = try world.enrolled()
    try core.pins.set("2580")
    #expect(try core.pins.status(of: nil).expires == CoreFixture.start.advanced(by: 86_400_000))
    #expect(try await core.stepSummary() == "passed")
    world.advance(minutes: 1440)
    let step = try await core.step(due: false)
    #expect(step.summary == "enterPIN")
    #expect(step.challenge?.biometrics == nil)
    let entered = try await core.answer("2580", to: step)
    #expect(entered.accepted)
    #expect(entered.challenge?.kind == .changePIN)
    #expect(entered.challenge?.message.contains("expired") == true)
    let change = PINStep.challenge(try #require(entered.challenge))
    #expect(try await core.step().challenge == change.challenge)
    #expect(try await !core.answer("2580", to: change).accepted)
    #expect(try await core.answer("8520", to: change) == ChallengeReply(accepted: true))
    #expect(try await core.stepSummary() == "passed")
    #expect(try core.pins.status(of: nil).expires == world.fixture.clock.now.advanced(by: 86_400_000))
  }

  @Test("A PIN that violates new rules must be changed at its next entry")
  func newRules() async throws {
    let world = PINFixture()
    let core = try world.enrolled()
    try core.pins.set("2580")
    world.fixture.tenant.writePolicy(PINFixture.fiveTries + #", "minimumPinLength": 6, "pinCharacterSet": "numeric""#)
    #expect(try core.checkIn() == [100])
    #expect(try await core.stepSummary() == "passed")
    world.advance(minutes: 30)
    let reply = try await core.answer("2580", to: try await core.step())
    let change = PINStep.challenge(try #require(reply.challenge))
    #expect(reply.accepted)
    #expect(change.challenge?.message.contains("6 characters") == true)
    let refused = try await core.answer("25801", to: change)
    #expect(!refused.accepted)
    #expect(refused.challenge?.message.contains("6 characters") == true)
    #expect(try await core.answer("258013", to: change).accepted)
    #expect(try await core.stepSummary() == "passed")
  }

  @Test("Apps of a publisher share a user's PIN and entry time; other publishers and users have their own")
  func sharing() async throws {
    let world = PINFixture()
    let first = try world.enrolled()
    try first.pins.set("2580")
    let second = try world.enrolled("com.example.other")
    #expect(try second.pins.status(of: nil).isSet)
    #expect(try await second.stepSummary() == "passed")
    world.advance(minutes: 30)
    #expect(try second.tryPIN("2580") == .right(mustChange: false))
    #expect(try await first.stepSummary() == "passed")
    #expect(try first.tryPIN("0000") == .wrong(triesLeft: 4))
    #expect(try second.tryPIN("0000") == .wrong(triesLeft: 3))

    let stranger = try world.enrolled("org.example.host")
    #expect(try !stranger.pins.status(of: nil).isSet)
    try stranger.pins.set("1470")
    #expect(try first.enroll("frank") == 100)
    #expect(try await first.stepSummary("frank") == "setPIN")
    try first.pins.set("3690", "frank")
    #expect(try first.tryPIN("3690") == .wrong(triesLeft: 2))
    #expect(try first.tryPIN("3690", "frank") == .right(mustChange: false))
    #expect(try stranger.tryPIN("1470") == .right(mustChange: false))
  }

  @Test("Using one app postpones the PIN prompt of the publisher's other apps; without use, the PIN is due")
  func rolling() async throws {
    let world = PINFixture()
    let (first, second) = (try world.enrolled(), try world.enrolled("com.example.other"))
    try first.pins.set("2580")
    for _ in 0..<4 {
      #expect(try await first.launchVerdict() == .allow)
      world.advance(minutes: 20)
    }
    #expect(try await first.launchVerdict() == .allow)
    world.advance(minutes: 29)
    #expect(try await second.launchVerdict() == .allow)
    world.advance(minutes: 30)
    #expect(try await second.launchVerdict() == .block)
    #expect(try await second.stepSummary() == "enterPIN")
  }

  @Test("A wipe of the account keeps its PIN")
  func wipe() async throws {
    let core = try PINFixture().enrolled()
    try core.pins.set("2580")
    #expect(try await core.wipe("alice") == 104)
    #expect(try core.enroll("alice") == 100)
    #expect(try core.pins.status(of: .user("alice")).isSet)
    #expect(try core.tryPIN("2580") == .right(mustChange: false))
  }

  @Test("No file and no log line contains a PIN, and its hash is stored encrypted")
  func secrecy() async throws {
    let world = PINFixture()
    let core = try world.enrolled()
    try core.pins.set("sesame-2580")
    #expect(try core.tryPIN("wrong-sesame") == .wrong(triesLeft: 4))
    try await core.pins.change("sesame-2580", "sesame-8520")
    for bytes in filesOf(folder: world.fixture.state.root).compactMap(readFile) {
      #expect(!String(decoding: bytes, as: UTF8.self).contains("sesame"))
    }
    let hash = try Connection(path: world.fixture.state.device).query("SELECT sealed FROM pin_hashes") { row in
      try row.value(0, as: [UInt8].self)
    }
    #expect(hash.map(\.count) == [60, 60])
  }

  @Test("A damaged or exchanged PIN hash is reported as damaged, and pin.reset repairs it", arguments: [true, false])
  func damage(_ isMoved: Bool) throws {
    let world = PINFixture()
    let core = try world.enrolled()
    #expect(try core.enroll("frank") == 100)
    try core.pins.set("2580")
    try core.pins.set("1470", "frank")
    let other = "(SELECT sealed FROM pin_hashes WHERE pin = 2)"
    try world.change("UPDATE pin_hashes SET sealed = \(isMoved ? other : "zeroblob(60)") WHERE pin = 1")
    let error = try #require(#expect(throws: MAMError.self) { try core.tryPIN("1470") })
    #expect(error.code == .damaged)
    #expect(error.hint?.contains("pin.reset") == true)
    try core.pins.reset()
    try core.pins.set("1470")
    #expect(try core.tryPIN("1470") == .right(mustChange: false))
  }
}
