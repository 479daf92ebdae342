import JSONRPC
import TestSupport
import Testing

/// One random run: requests of all kinds come in random pieces, work ends at random moments, output is taken at
/// random; then the end of the input, or the end of patience.
private struct Schedule {
  var generator: SeededGenerator
  let peer: Peer
  var input: [UInt8] = []
  var expected: [String] = []
  var works: [String] = []
  var output = ""

  init(seed: UInt64) {
    generator = SeededGenerator(seed: seed)
    var limits = SessionLimits()
    limits.waitingRequests = Int.random(in: 1...12, using: &generator)
    limits.outputBytes = Int.random(in: 1...2000, using: &generator)
    peer = Peer(limits: limits)
  }

  mutating func addMessages(_ count: Int) {
    for index in 0..<count {
      let isBatch = Int.random(in: 0..<5, using: &generator) == 0
      let elements = (0..<(isBatch ? Int.random(in: 1...5, using: &generator) : 1)).map { element("\(index).\($0)") }
      let replies = elements.compactMap(\.reply)
      let texts = elements.map(\.text).joined(separator: ",")
      input += Array((isBatch ? "[\(texts)]\n" : "\(texts)\n").utf8)
      if !replies.isEmpty { expected.append(isBatch ? "[" + replies.joined(separator: ", ") + "]" : replies[0]) }
    }
  }

  private mutating func element(_ id: String) -> (text: String, reply: String?) {
    let isNotification = Int.random(in: 0..<4, using: &generator) == 0
    switch Int.random(in: 0..<5, using: &generator) {
    case 0, 1:
      works.append(id)
      if isNotification { return (notification("later", "[\"\(id)\"]"), nil) }
      return (later("\"\(id)\"", id), "\"\(id)\": true")
    case 2: return isNotification ? (notification("fail"), nil) : (request("\"\(id)\"", "fail"), "\"\(id)\": 5001")
    case 3: return ("7", "null: -32600")
    default: return isNotification ? (notification("echo"), nil) : (request("\"\(id)\"", "echo"), "\"\(id)\": null")
    }
  }

  /// Until all input is in and all work done.
  mutating func run(steps: inout Int) {
    var begun = works[...]
    while !peer.session.isFinished || peer.session.hasOutput {
      steps += 1
      switch Int.random(in: 0..<3, using: &generator) {
      case 0: giveInput()
      case 1: takeOutput()
      default:
        let count = peer.handler.calls.withLock { $0.count { $0 == "later" } }
        guard works.count - begun.count < count, let name = begun.popFirst() else { continue }
        peer.finish(name)
      }
    }
  }

  mutating func giveInput() {
    guard peer.session.wantsInput else { return }
    guard !input.isEmpty else { return peer.session.endOfInput() }
    let size = Int.random(in: 1...200, using: &generator)
    peer.send(bytes: Array(input.prefix(size)))
    input.removeFirst(min(size, input.count))
  }

  mutating func takeOutput() {
    let size = Int.random(in: 1...300, using: &generator)
    output += peer.session.withOutput { String(decoding: $0.prefix(size), as: UTF8.self) }
    peer.session.consumeOutput(size)
  }
}

@Suite("Without initialize, each request gets one reply, in order", .timeLimit(.minutes(5)), .ownThreads)
struct ScheduleTests {
  @Test("Without initialize, random schedules give exactly the expected replies, in order", arguments: 1...60)
  func random(_ seed: UInt64) {
    var schedule = Schedule(seed: seed)
    schedule.addMessages(120)
    var steps = 0
    schedule.run(steps: &steps)
    #expect(schedule.output.split(separator: "\n").map { summary(ofLine: String($0)) } == schedule.expected)
    #expect(steps > 100)
  }

  @Test("Without initialize, a session that is cut off gives the expected replies or -32002", arguments: 1...60)
  func abandoned(_ seed: UInt64) {
    var schedule = Schedule(seed: seed)
    schedule.addMessages(60)
    for name in schedule.works.prefix(schedule.works.count / 2) {
      schedule.giveInput()
      if seed.isMultiple(of: 2) { schedule.takeOutput() }
      schedule.peer.handler.gate.finish(name, .success(Array("true".utf8)))
      schedule.peer.session.run()
    }
    schedule.peer.session.abandon()
    while schedule.peer.session.hasOutput { schedule.takeOutput() }
    let replies = schedule.output.split(separator: "\n").map { summary(ofLine: String($0)) }
    let expected = schedule.expected.prefix(replies.count)
    #expect(schedule.peer.session.isFinished)
    for (reply, expected) in zip(replies, expected) {
      #expect(withoutOutcomes(reply) == withoutOutcomes(expected))
    }
  }

  private func withoutOutcomes(_ reply: String) -> String {
    ["true", "null", "5001", "-32002"].reduce(reply) { $0.replacing(": \($1)", with: ": outcome") }
  }
}
