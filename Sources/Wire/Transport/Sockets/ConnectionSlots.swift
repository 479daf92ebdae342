import Glibc
import JSONRPC
import NIOCore
import Support

/// Limits the number of connections of a server, over all its listeners.
///
/// Clients that have not authenticated yet ("strangers") have few slots. If all are taken, a new client displaces one
/// of them, so that nobody can keep others out by holding connections open.
final class ConnectionSlots: Sendable {
  /// How long a stranger cannot be displaced: long enough to authenticate.
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

  /// Takes a slot for a client that need not authenticate. Throws -32004 if there is none.
  func takeKnown() throws(RPCError) {
    let isTaken = state.withLock { $0.takeKnown(atMost: limits.connections) }
    if !isTaken { throw RPCError(LimitExcess(.connections, limits.connections)) }
  }

  func freeKnown() {
    state.withLock { $0.known -= 1 }
  }

  /// Takes a slot for a stranger. `close` ends the connection of the stranger if it is displaced. Throws -32004 if new
  /// strangers have taken all slots.
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

  /// Exchanges a stranger's slot for an authenticated one. Throws -32004 if there is none, or if the stranger was
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

  /// Can be called again. A displaced or exchanged stranger has no slot to free.
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

  /// Displaces a random stranger that connected before `moment`: a client with most of the slots loses most.
  fileprivate mutating func displace(before moment: Double) -> ConnectionSlots.Stranger? {
    let old = strangers.filter { $0.value.since < moment }.keys
    return old.randomElement().flatMap { strangers.removeValue(forKey: $0) }
  }
}

/// Time limits for connections.
struct ConnectionTimes: Sendable {
  /// Until the client is authenticated; over HTTP, until the head of its first request has arrived.
  var admission = TimeAmount.seconds(10)
  /// For the peer to close after the last reply. Closing first could lose that reply.
  var lingering = TimeAmount.seconds(1)
  /// Over HTTP, until the head of the next request has arrived.
  var idle = TimeAmount.seconds(60)
  /// Over HTTP, for the whole body of a request.
  var body = TimeAmount.seconds(60)
  /// Over HTTP, for the client to read a response.
  var write = TimeAmount.seconds(60)
  /// Between keep-alive comments on an idle event stream.
  var heartbeat = TimeAmount.seconds(15)
}

/// Seconds since an arbitrary moment. For time limits of the transport only; the core has a clock of its own.
func monotonicSeconds() -> Double {
  var time = timespec()
  clock_gettime(CLOCK_MONOTONIC, &time)
  return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
}
