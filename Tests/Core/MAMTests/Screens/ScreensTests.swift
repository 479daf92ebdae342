import JSON
import SQLite
import Support
import TestSupport
import Testing

@testable import MAM
@testable import Model

@Suite(.timeLimit(.minutes(5))) struct ScreensTests {
  private let fixture = CoreFixture()

  /// Such as `+main` when a window is taken over, and `-main` when it is released; "" is the app as a whole.
  private func told() throws -> [String] {
    try fixture.events().compactMap { event in
      let window = event.body["window"]?.stringValue ?? ""
      switch event.type {
      case "sdkDidTakeOverUI": return "+" + window
      case "sdkDidReleaseUI": return "-" + window
      default: return nil
      }
    }
  }

  private func notice(_ window: String?) -> ScreenNotice {
    ScreenNotice(accountId: nil, identity: TenantFolder.upn("alice"), window: window)
  }

  private func asCall<Value>(of owner: ScreenOwner, _ body: () throws -> Value) rethrows -> Value {
    try CallContext.$current.withValue(CallContext(caller: CallOrigin(screenOwner: owner)), operation: body)
  }

  @Test("Screen owners distinguish a process from a dead one with the same process id")
  func recurringProcessNumber() {
    let owners = ScreenOwners()
    let owner = owners.begin()
    let name = owner.name
    let process = name.prefix { $0 != "." }
    #expect(owners.isThere(name))
    #expect(owners.isThere(ScreenOwner.core.name))
    #expect(!owners.isThere("\(process).1/1"))
    #expect(!owners.isThere("\(process).1/0"))
    owners.end(owner)
    #expect(!owners.isThere(name))
  }

  @Test("A challenge takes over its window, and the answer releases the window")
  func answer() async throws {
    let core = try fixture.core()
    let challenge = try core.challenges.openSignIn("alice")
    #expect(try told() == ["+main"])
    let event = try #require(try fixture.events().last)
    #expect(event.body["accountId"]?.stringValue == TenantFolder.id("alice"))
    #expect(event.body["identity"]?.stringValue == TenantFolder.upn("alice"))
    _ = try core.challenges.openSignIn("alice")
    #expect(try told() == ["+main"])
    #expect(try await core.challenges.answer(challenge.id, with: .token("t")).accepted)
    #expect(try told() == ["+main", "-main"])
  }

  @Test("A launch stores challenge, screen and report in one change; the next launch reuses the challenge")
  func launch() async throws {
    fixture.tenant.writePolicy(#""pinRequired": true"#)
    let core = try fixture.core()
    #expect(try core.enroll("alice") == 100)
    let (page, before) = (try core.refresh().epochPage, try fixture.events().count)
    let value = page.value
    let first = try await core.appStart.run(in: LaunchSession()).report
    #expect(page.value == value + 1)
    #expect(try fixture.events().dropFirst(before).map(\.type) == ["sdkDidTakeOverUI", "launchReport"])
    let challenge = try #require(first.conditionalLaunch?.challenges.first)
    #expect(challenge.kind == .setPIN)
    #expect(first.verdict == .block)
    let again = try await core.appStart.run(in: LaunchSession()).report
    #expect(again.conditionalLaunch?.challenges.map(\.id) == [challenge.id])
    #expect(try core.challenges.open(challenge.id).challenge.kind == .setPIN)
  }

  @Test("A wrong answer keeps the challenge's window taken over, and a cancel releases it")
  func cancel() async throws {
    let core = try fixture.core()
    let challenge = try core.challenges.openSignIn("alice")
    _ = try await core.challenges.answer(challenge.id, with: .token(""))
    #expect(try told() == ["+main"])
    _ = try await core.challenges.answer(challenge.id, with: .canceled)
    #expect(try told() == ["+main", "-main"])
  }

  @Test("Several screens in one window send one takeover and one release; windows are separate")
  func several() async throws {
    let core = try fixture.core()
    let challenge = try core.challenges.openSignIn("alice")
    let request = core.screens.begin(notice("main"))
    let other = core.screens.begin(notice("inbox"))
    let app = core.screens.begin(notice(nil))
    #expect(try told() == ["+main", "+inbox", "+"])
    core.screens.end(other)
    _ = try await core.challenges.answer(challenge.id, with: .canceled)
    #expect(try told() == ["+main", "+inbox", "+", "-inbox"])
    core.screens.end(request)
    core.screens.end(app)
    core.screens.end(app)
    #expect(try told() == ["+main", "+inbox", "+", "-inbox", "-main", "-"])
  }

  @Test("A challenge opened in one process and answered in another sends one takeover and one release")
  func processes() async throws {
    let (first, second) = (try fixture.core(), try fixture.core())
    let challenge = try first.challenges.openSignIn("alice")
    #expect(try second.challenges.openSignIn("alice") == challenge)
    #expect(try await second.challenges.answer(challenge.id, with: .token("t")).accepted)
    #expect(try told() == ["+main", "-main"])
  }

  @Test("An expired challenge releases its window when the clock reaches the expiry time")
  func expiry() async throws {
    let core = try fixture.core()
    _ = try core.challenges.openSignIn("alice")
    _ = try await core.scheduler.advanceAndFollowUp(byMilliseconds: 15 * 60_000)
    #expect(try told() == ["+main", "-main"])
    _ = try core.challenges.openSignIn("alice")
    #expect(try told() == ["+main", "-main", "+main"])
  }

  @Test("The window of a host that ended is released when the next host starts; its challenge stays open")
  func crash() async throws {
    let core = try fixture.core()
    let owner = core.screenOwners.begin()
    let challenge = try asCall(of: owner) { try core.challenges.openSignIn("alice") }
    core.screens.startHost()
    #expect(try told() == ["+main"])
    core.screenOwners.end(owner)
    core.screens.settle()
    #expect(try told() == ["+main"])
    core.screens.startHost()
    #expect(try told() == ["+main", "-main"])
    #expect(try core.challenges.openSignIn("alice") == challenge)
    #expect(try told() == ["+main", "-main", "+main"])
    #expect(try await core.challenges.answer(challenge.id, with: .token("t")).accepted)
    #expect(try told() == ["+main", "-main", "+main", "-main"])
  }

  @Test("The window of a killed process is released the next time screens are checked")
  func killed() throws {
    let core = try fixture.core()
    try core.refresh()
    // No process has this id: it is above the system's largest.
    let gone = ScreenOwner(connection: 1, process: "4194305")
    _ = asCall(of: gone) { core.screens.begin(notice("main")) }
    #expect(try told() == ["+main"])
    core.screens.settle()
    #expect(try told() == ["+main", "-main"])
  }

  @Test("Unenrolling an account closes its challenges and releases their windows")
  func unenrolled() throws {
    let core = try fixture.core()
    #expect(try core.enroll("alice") == 100)
    _ = try core.challenges.openSignIn("alice")
    #expect(try core.unenroll("alice") == 104)
    #expect(try told() == ["+main", "-main"])
  }

  @Test(
    "In random runs of two processes, takeovers and releases of each window alternate",
    arguments: UInt64(0)..<20)
  func walk(seed: UInt64) async throws {
    var random = SeededGenerator(state: seed)
    let cores = [try fixture.core(), try fixture.core()]
    let windows = ["main", "inbox", nil]
    var requests: [(core: Core, request: Screens.Request, window: String)] = []
    var challenges: [String: Challenge] = [:]
    for _ in 0..<40 {
      let core = cores[Int.random(in: 0..<2, using: &random)]
      switch Int.random(in: 0..<6, using: &random) {
      case 0, 1:
        let window = windows[Int.random(in: 0..<3, using: &random)]
        requests.append((core, core.screens.begin(notice(window)), window ?? ""))
      case 2 where !requests.isEmpty:
        let ended = requests.remove(at: Int.random(in: 0..<requests.count, using: &random))
        ended.core.screens.end(ended.request)
      case 3:
        let name = ["alice", "bob"][Int.random(in: 0..<2, using: &random)]
        challenges[name] = try core.challenges.openSignIn(name)
      case 4:
        guard let (name, challenge) = challenges.min(by: { $0.key < $1.key }) else { continue }
        _ = try await core.challenges.answer(challenge.id, with: .canceled)
        challenges[name] = nil
        _ = try core.challenges.takeCancel(about: .user(name))
      default: core.screens.settle()
      }
      let up = Set(requests.map(\.window) + (challenges.isEmpty ? [] : ["main"]))
      try expectPairs(up)
    }
  }

  /// The last event of each window says whether something is up, and none repeats the one before it.
  private func expectPairs(_ up: Set<String>) throws {
    var last: [String: Bool] = [:]
    for text in try told() {
      let (window, isUp) = (String(text.dropFirst()), text.hasPrefix("+"))
      #expect(last[window] ?? false != isUp, "\(text)")
      last[window] = isUp
    }
    #expect(Set(last.filter(\.value).keys) == up)
  }
}
