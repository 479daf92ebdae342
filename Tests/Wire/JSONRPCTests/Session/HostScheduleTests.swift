import JSON
import JSONRPC
import TestSupport
import Testing

/// The rules that hold in every interleaving, against what came.
private struct ScheduleCheck {
  let schedule: HostSchedule
  let log: [String]
  let replies: [SeenReply]
  let arrays: [[Int]]

  init(_ schedule: HostSchedule, lines: [String]) {
    self.schedule = schedule
    log = schedule.peer.handler.log.withLock { $0 }
    let values = lines.compactMap { try? JSONValue(parsing: $0) }
    replies = values.flatMap { $0.arrayValue ?? [$0] }.compactMap(SeenReply.init)
    arrays = values.compactMap { $0.arrayValue?.compactMap(SeenReply.init).map(\.id) }
  }

  var sortedArrays: [[Int]] { arrays.sorted { ($0.first ?? 0) < ($1.first ?? 0) } }

  /// The replies that nothing explains.
  var unexplained: [String] {
    replies.filter { !isExplained($0) }.map { "\($0) to \(schedule.requests[$0.id])" }
  }

  private func isExplained(_ reply: SeenReply) -> Bool {
    let request = schedule.requests[reply.id]
    switch reply.outcome {
    case "-32800": return request.isCancelled && !log.contains("commit \(reply.id)")
    case "-32003": return request.hasDeadline && reply.committed.map { isRight(committed: $0, reply.id) } == true
    case "-32002": return schedule.isAbandoned
    case "-32004": return schedule.inFlight < 1024 && request.hasWork
    default:
      let isCommitted = request.kind != .commits || log.contains("commit \(reply.id)")
      return request.outcomes.contains(reply.outcome) && isCommitted
    }
  }

  /// What an abandoned session has committed may not stand in the log yet.
  private func isRight(committed: Bool, _ id: Int) -> Bool {
    committed == log.contains("commit \(id)") || committed && schedule.isAbandoned
  }

  /// Those that need no work, and were not cancelled while they waited, in the order of their requests.
  var immediateIDs: [Int] {
    replies.filter { reply in
      let request = schedule.requests[reply.id]
      return !request.hasWork && !request.isInBatch && reply.outcome != "-32800"
    }.map(\.id)
  }

  /// The ids of work in the order in which it began, for each queue.
  var queues: [[Int]] {
    let begun = log.filter { $0.hasPrefix("begin ") }.compactMap { Int($0.dropFirst(6)) }
    return (0..<3).map { queue in begun.filter { schedule.requests[$0].queue == queue } }
  }

  var handshakes: Int { replies.count { $0.outcome == "\"host\"" } }
}

@Suite("In every interleaving, each request gets exactly one reply", .timeLimit(.minutes(5)), .ownThreads)
struct HostScheduleTests {
  @Test("In random schedules up to the end of input, each request gets exactly one valid reply", arguments: 1...60)
  func ends(_ seed: UInt64) {
    check(seed, abandoning: false)
  }

  @Test("In random schedules that are cut off, each request gets exactly one valid reply", arguments: 1...60)
  func abandoned(_ seed: UInt64) {
    check(seed, abandoning: true)
  }

  private func check(_ seed: UInt64, abandoning: Bool) {
    var schedule = HostSchedule(seed: seed)
    for _ in 0..<1500 { schedule.step() }
    let lines = schedule.finish(abandoning: abandoning)
    let check = ScheduleCheck(schedule, lines: lines)
    let (answered, arrays) = (check.replies.map(\.id).sorted(), check.sortedArrays)
    #expect(answered == Array(schedule.requests.indices))
    #expect(arrays == schedule.batches)
    let (unexplained, immediate, handshakes) = (check.unexplained, check.immediateIDs, check.handshakes)
    #expect(unexplained == [])
    #expect(immediate == immediate.sorted())
    #expect(handshakes <= 1)
    for queue in check.queues { #expect(queue == Set(queue).sorted()) }
  }
}
