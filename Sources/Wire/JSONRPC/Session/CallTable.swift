import Support

/// A call whose work is not done.
struct CallInFlight {
  let place: ReplyPlace
  let work: Work
  /// The size of its params, which the work may keep.
  let byteCount: Int
  let isHandshake: Bool
  let context: CallContext
  /// `nil` while it waits for its turn in a queue.
  var task: Task<Void, Never>?
  var timer: Timers.Timer?
  /// Whether it has been answered already, by a cancel or a deadline.
  var isAnswered = false
}

/// The calls in flight, by ticket, and the queues of calls that must stay in order.
struct CallTable {
  private var calls: [Int: CallInFlight] = [:]
  private var queues: [String: [Int]] = [:]
  /// The ticket of the next call.
  private(set) var nextTicket = 1
  /// The size of the params of all calls.
  private(set) var byteCount = 0

  var count: Int { calls.count }
  var isEmpty: Bool { calls.isEmpty }
  var tickets: [Int] { calls.keys.sorted() }

  subscript(ticket: Int) -> CallInFlight? {
    get { calls[ticket] }
    set { calls[ticket] = newValue }
  }

  /// Returns whether the call may start now.
  mutating func add(_ call: CallInFlight) -> Bool {
    let ticket = nextTicket
    nextTicket += 1
    calls[ticket] = call
    byteCount += call.byteCount
    guard let queue = call.work.queue else { return true }
    queues[queue, default: []].append(ticket)
    return queues[queue]?.first == ticket
  }

  /// Also returns the ticket of the call whose turn comes next.
  mutating func remove(_ ticket: Int) -> (call: CallInFlight, next: Int?)? {
    guard let call = calls.removeValue(forKey: ticket) else { return nil }
    byteCount -= call.byteCount
    guard let queue = call.work.queue, var line = queues[queue] else { return (call, nil) }
    let wasFirst = line.first == ticket
    line.removeAll { $0 == ticket }
    queues[queue] = line.isEmpty ? nil : line
    return (call, wasFirst ? line.first : nil)
  }

  /// The calls with this id that have no reply yet.
  func unanswered(with id: RequestID) -> [Int] {
    calls.filter { $0.value.place.id == id && !$0.value.isAnswered }.keys.sorted()
  }
}

/// The notification `$/cancelRequest {"id": …}`.
enum CancelRequest {
  static let method = "$/cancelRequest"

  /// `nil` if the params are invalid. Their only member is `id`, as in an envelope, so they are read like one.
  static func id(in call: Envelope.Call, _ message: UnsafeBufferPointer<UInt8>) -> RequestID? {
    guard let params = call.params.map({ message.part($0) }),
      case .single(.invalid(let envelope)) = ScannedMessage.scan(params), let id = envelope.id
    else { return nil }
    return RequestID(id, in: params)
  }
}
