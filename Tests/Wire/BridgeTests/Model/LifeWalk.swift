import JSON
import MAM
import TestSupport
import Testing

@testable import Bridge

/// A random life of an app: every step is done by one of two servers on a state folder and by the model, and must have
/// the same answer, the same events and the same state behind it.
final class LifeWalk {
  var random: SeededGenerator
  var app = ModelApp()
  let folder = TemporaryFolder(inMemory: true)
  private var hosts: [TestHost] = []
  private var lastEvent: Int64 = 0
  /// What was done, for who must understand a difference.
  private(set) var story: [String] = []

  init(seed: UInt64) throws {
    random = SeededGenerator(state: seed)
    app.tenant.write(to: folder)
    hosts = [try newHost(0), try newHost(1)]
  }

  private func newHost(_ process: Int) throws -> TestHost {
    try TestHost(
      .folder(folder.file("tenant")), flags: ["MultiManagedIdentities=\(app.allowsMany[process])"], folder: folder)
  }

  func run(steps: Int) throws {
    for number in 1...steps {
      let step = Step.any(&random)
      story.append("\(number). \(step.name)")
      try step.body(self)
      try expectEvents()
      try expectState()
    }
  }

  func note(_ text: String) { story[story.count - 1] += " " + text }

  /// A difference ends the walk: behind it nothing is to be expected.
  func expect<Value: Equatable>(_ actual: Value, is expected: Value, _ what: String) throws {
    guard actual != expected else { return }
    throw Difference(text: "\(what)\nis       \(actual)\nexpected \(expected)")
  }

  struct Difference: Error, CustomStringConvertible {
    let text: String
    var description: String { text }
  }

  func anyProcess() -> Int { Int.random(in: 0...1, using: &random) }

  func anyName() -> String { ModelTenant.names.randomElement(using: &random) ?? "ann" }

  func flip(_ times: Int) -> Bool { Int.random(in: 0..<times, using: &random) == 0 }

  /// One of the spellings by which the app knows that account.
  func spelling(_ name: String) -> JSONValue {
    if app.learnt.contains(name), flip(3) { return .string(ModelTenant.id(name)) }
    return .string(flip(3) ? ModelTenant.upn(name).uppercased() : ModelTenant.upn(name))
  }

  func call(_ method: String, _ params: JSONValue? = nil, by process: Int? = nil) throws -> JSONValue {
    try hosts[process ?? anyProcess()].call(method, params)
  }

  func reply(_ method: String, _ params: JSONValue? = nil, by process: Int? = nil) throws -> JSONValue {
    try hosts[process ?? anyProcess()].reply(method, params)
  }

  /// The other one goes on; whoever comes next finds what this one has left.
  func restart(_ process: Int) throws {
    app.allowsMany[process] = flip(2)
    app.restartIsDue[process] = false
    hosts[process] = try newHost(process)
  }

  /// Not part of the model: when a screen opens is a matter of the question that opens it.
  private static let screenEvents: [JSONValue?] = [
    .string(SDKDidTakeOverUI.name), .string(SDKDidReleaseUI.name),
  ]

  /// Both processes tell the same ones: none is lost, none is there twice.
  func expectEvents() throws {
    let process = anyProcess()
    var listed: [JSONValue] = []
    while true {
      let from = listed.last?["params"]?["seq"]?.integerValue ?? lastEvent
      let list = try call("events.list", ["after": .integer(from), "limit": 1000], by: process)
      let page = list["events"]?.arrayValue ?? []
      listed += page
      if page.count < 1000 { break }
    }
    let numbers = listed.compactMap { $0["params"]?["seq"]?.integerValue }
    try expect(numbers, is: listed.indices.map { lastEvent + Int64($0) + 1 }, "numbers of the events")
    lastEvent += Int64(listed.count)
    let told = listed.filter { !Self.screenEvents.contains($0["type"]) }
    try expect(told.map(ModelEvent.init(listed:)), is: app.takeEvents(), "events")
  }
}
