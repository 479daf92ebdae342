import Support

/// A call whose work is not done.
struct CallInFlight {
  let place: ReplyPlace
  let work: Work
  let isHandshake: Bool
  let commitPoint = CommitPoint()
  /// As written; nil when no progress is asked for.
  let progressToken: [UInt8]?
  /// Nil while it waits for its turn in its queue.
  var task: Task<Void, Never>?
  var timer: Task<Void, Never>?
  /// Whether it has its reply already, by a cancel or a deadline.
  var isAnswered = false
}

/// The calls in flight, by ticket, and the queues of those that must not overtake each other.
struct CallTable {
  private var calls: [Int: CallInFlight] = [:]
  private var queues: [String: [Int]] = [:]
  private var nextTicket = 0

  var count: Int { calls.count }
  var isEmpty: Bool { calls.isEmpty }
  var tickets: [Int] { calls.keys.sorted() }

  subscript(ticket: Int) -> CallInFlight? {
    get { calls[ticket] }
    set { calls[ticket] = newValue }
  }

  /// The call's ticket, and whether its turn is now.
  mutating func add(_ call: CallInFlight) -> (ticket: Int, isFirst: Bool) {
    nextTicket += 1
    calls[nextTicket] = call
    guard let queue = call.work.queue else { return (nextTicket, true) }
    queues[queue, default: []].append(nextTicket)
    return (nextTicket, queues[queue]?.first == nextTicket)
  }

  /// Also the ticket of the call whose turn comes by it.
  mutating func remove(_ ticket: Int) -> (call: CallInFlight, next: Int?)? {
    guard let call = calls.removeValue(forKey: ticket) else { return nil }
    guard let queue = call.work.queue, var line = queues[queue] else { return (call, nil) }
    let wasFirst = line.first == ticket
    line.removeAll { $0 == ticket }
    queues[queue] = line.isEmpty ? nil : line
    return (call, wasFirst ? line.first : nil)
  }

  /// Those that have no reply yet.
  func unanswered(with id: RequestID) -> [Int] {
    calls.filter { $0.value.place.id == id && !$0.value.isAnswered }.keys.sorted()
  }
}
