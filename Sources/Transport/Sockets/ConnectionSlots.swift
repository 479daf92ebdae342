import Glibc
import JSONRPC
import NIOCore
import Support

/// How many connections a server has, over all its listeners, and how many more it may.
///
/// Strangers, who have not authenticated yet, have few slots: when all are taken, a newcomer displaces one of them, so
/// that nobody keeps others out by holding connections open.
final class ConnectionSlots: Sendable {
  /// How long a stranger is safe: long enough to authenticate.
  static let protectedSeconds = 0.25

  fileprivate struct Stranger: Sendable {
    let since: Double
    let close: @Sendable () -> Void
  }

  fileprivate struct State: Sendable {
    var known = 0
    var strangers: [ObjectIdentifier: Stranger] = [:]
  }

  private let limits: SessionLimits
  private let now: @Sendable () -> Double
  private let state = Lock(State())

  /// `now` is in seconds.
  init(limits: SessionLimits, now: @escaping @Sendable () -> Double = monotonicSeconds) {
    self.limits = limits
    self.now = now
  }

  /// For somebody who need not authenticate. -32004 when no slot is left.
  func takeKnown() throws(RPCError) {
    let isTaken = state.withLock { $0.takeKnown(atMost: limits.connections) }
    if !isTaken { throw RPCError(LimitExcess(.connections, limits.connections)) }
  }

  func freeKnown() {
    state.withLock { $0.known -= 1 }
  }

  /// `close` ends the connection of a stranger who is displaced. -32004 when all slots are taken by newcomers.
  func takeStranger(_ id: ObjectIdentifier, close: @escaping @Sendable () -> Void) throws(RPCError) {
    let (now, most) = (now(), limits.unauthenticatedConnections)
    let (isTaken, displaced) = state.withLock { state -> (Bool, Stranger?) in
      let displaced = state.strangers.count < most ? nil : state.displace(before: now - Self.protectedSeconds)
      guard state.strangers.count < most else { return (false, nil) }
      state.strangers[id] = Stranger(since: now, close: close)
      return (true, displaced)
    }
    displaced?.close()
    if !isTaken { throw RPCError(LimitExcess(.unauthenticated, most)) }
  }

  /// Of a stranger who is known from now on. -32004 when no more connections may be authenticated, and for one who was
  /// displaced meanwhile.
  func exchange(_ id: ObjectIdentifier) throws(RPCError) {
    let excess = state.withLock { state -> LimitName? in
      guard state.strangers[id] != nil else { return .unauthenticated }
      guard state.takeKnown(atMost: limits.connections) else { return .connections }
      state.strangers[id] = nil
      return nil
    }
    if let excess { throw RPCError(LimitExcess(excess, limits[excess])) }
  }

  /// No more than once; one who was displaced or exchanged has none.
  func freeStranger(_ id: ObjectIdentifier) {
    state.withLock { $0.strangers[id] = nil }
  }
}

extension ConnectionSlots.State {
  fileprivate mutating func takeKnown(atMost most: Int) -> Bool {
    guard known < most else { return false }
    known += 1
    return true
  }

  /// Any of those who came before `moment`: who holds most slots loses most.
  fileprivate mutating func displace(before moment: Double) -> ConnectionSlots.Stranger? {
    let old = strangers.filter { $0.value.since < moment }.keys
    return old.randomElement().flatMap { strangers.removeValue(forKey: $0) }
  }
}

/// How long a connection may take for what.
struct ConnectionTimes: Sendable {
  /// Until it is authenticated; over HTTP, until the head of its first request is there.
  var admission = TimeAmount.seconds(10)
  /// For the peer to close after the last reply: to close before it does could lose that reply.
  var lingering = TimeAmount.seconds(1)
  /// Over HTTP, until the next request's head is there.
  var idle = TimeAmount.seconds(60)
  /// Over HTTP, for the whole body of a request.
  var body = TimeAmount.seconds(60)
  /// Between signs of life on a stream of events that has none to tell.
  var heartbeat = TimeAmount.seconds(15)
}

/// Since some moment in the past; for time limits of the transport alone, the core has a clock of its own.
func monotonicSeconds() -> Double {
  var time = timespec()
  clock_gettime(CLOCK_MONOTONIC, &time)
  return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
}
