import Support
import TestSupport
import Testing

@testable import MAM
@testable import Model
@testable import Vault

/// Which process has a policy source that says when something changes, and for which registrations.
@Suite(.timeLimit(.minutes(5))) struct SourceWatchTests {
  let fixture = CoreFixture()

  private func core(_ source: FakeSource, clock: any Clock = SystemClock()) -> Core {
    var configuration = CoreConfiguration(stateFolder: fixture.state, clock: clock)
    configuration.source = source
    configuration.watchPatience = .milliseconds(1)
    return Core(configuration)
  }

  private func enroll(_ name: String, in core: Core) async throws {
    #expect(try await core.enrollment.enrollAndFollowUp(.user(name)).statusCode.sdkValue == 100)
  }

  @Test("The source watches an account's registration while the network is up, until the process ends")
  func registrations() async throws {
    let source = FakeSource()
    source.delivers(#""pinRequired": true"#)
    let core = core(source)
    try await enroll("alice", in: core)
    await expectEventually(1) { source.watched.count }
    #expect(source.watched == [source.requests[0].registration.id])
    _ = try await core.hostDevice.change { $0.networkAvailable = false }
    #expect(await eventually { source.watched.isEmpty })
    _ = try await core.hostDevice.change { $0.networkAvailable = true }
    await expectEventually(1) { source.watched.count }
    core.end()
    #expect(await eventually { source.watched.isEmpty })
  }

  @Test("Watching the source does not keep a released core alive, and ends with it")
  func released() async throws {
    let source = FakeSource()
    source.delivers(#""pinRequired": true"#)
    var core: Core? = core(source)
    try await enroll("alice", in: #require(core))
    await expectEventually(1) { source.watched.count }
    weak let gone = core
    core = nil
    #expect(await eventually { gone == nil })
    #expect(await eventually { source.watched.isEmpty })
  }

  @Test("One process at a time watches the source; when it ends, another one takes over")
  func handOver() async throws {
    let sources = (FakeSource(), FakeSource())
    sources.0.delivers(#""pinRequired": true"#)
    let cores = (core(sources.0), core(sources.1))
    try await enroll("alice", in: cores.0)
    await expectEventually(1) { sources.0.watched.count }
    try cores.1.refresh()
    for _ in 1...20 {
      #expect(sources.1.watched.isEmpty)
      try await Task.sleep(for: .milliseconds(1))
    }
    cores.0.end()
    await expectEventually(1) { sources.1.watched.count }
    cores.1.end()
  }

  @Test("A core on a manual clock does not watch the source")
  func manualClock() async throws {
    let source = FakeSource()
    source.delivers(#""pinRequired": true"#)
    let core = core(source, clock: fixture.clock)
    try await enroll("alice", in: core)
    try await Task.sleep(for: .milliseconds(20))
    #expect(source.watched.isEmpty)
    core.end()
  }

  @Test("All apps of a state folder send the source the same device tag")
  func device() async throws {
    let source = FakeSource()
    source.delivers(#""pinRequired": true"#)
    let core = core(source)
    try await enroll("alice", in: core)
    core.end()
    var configuration = CoreConfiguration(stateFolder: fixture.state.forApp("com.example.other"))
    configuration.source = source
    let other = Core(configuration)
    try await enroll("alice", in: other)
    other.end()
    let machines = source.requests.map(\.machine)
    #expect(machines.count == 2 && machines[0] == machines[1])
    #expect(machines[0].tag.count == 36 && !machines[0].name.isEmpty)
  }

  @Test("A copy of a state has its own device tag and registration, and only the copy leaves the source")
  func copy() async throws {
    let source = FakeSource()
    source.delivers(#""pinRequired": true"#)
    let original = core(source)
    try await enroll("alice", in: original)
    original.end()
    let target = StateFolder(root: fixture.state.root + "-copy", appId: fixture.state.appId)
    try StateCopy(of: fixture.state, to: target).make()
    var configuration = CoreConfiguration(stateFolder: target)
    configuration.source = source
    configuration.deviceTag = SourceDevice.randomTag
    configuration.rootSecret = .keyFile(at: try #require(fixture.state.keyFile))
    let copy = Core(configuration)
    _ = try await copy.enrollment.checkInAndFollowUp(nil)
    copy.leaveSource(within: .seconds(60))
    copy.end()
    let requests = source.requests
    let tags = [requests.first?.machine.tag, requests.last?.machine.tag]
    #expect(requests.count > 1 && tags[0] != tags[1] && tags[1] == configuration.deviceTag && tags[1]?.count == 36)
    #expect(Set(requests.map(\.registration.id)).count == requests.count)
    let left = source.reports.map { ($0.registration.id, $0.operation) }
    #expect(left.count == 1 && left[0] == (requests.last?.registration.id ?? "", nil), "the copy leaves, and only it")
  }
}
