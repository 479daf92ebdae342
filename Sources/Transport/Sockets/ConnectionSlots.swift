import JSONRPC
import Support

/// How many connections a server has, over all its listeners, and how many more it may.
final class ConnectionSlots: Sendable {
  enum Kind {
    /// Not authenticated yet.
    case stranger
    case known
  }

  private let limits: SessionLimits
  private let taken = Lock<[Kind: Int]>([:])

  init(limits: SessionLimits) {
    self.limits = limits
  }

  /// -32004 when there is no slot of this kind left.
  func take(_ kind: Kind) throws(RPCError) {
    let most = limits[kind.limit]
    let isTaken = taken.withLock { taken in
      guard taken[kind, default: 0] < most else { return false }
      taken[kind, default: 0] += 1
      return true
    }
    guard isTaken else { throw RPCError(LimitExcess(kind.limit, most)) }
  }

  /// Of a stranger who is known from now on. -32004 when no more connections may be authenticated.
  func exchange() throws(RPCError) {
    try take(.known)
    free(.stranger)
  }

  func free(_ kind: Kind) {
    taken.withLock { $0[kind, default: 0] -= 1 }
  }
}

extension ConnectionSlots.Kind {
  fileprivate var limit: LimitName {
    switch self {
    case .stranger: .unauthenticated
    case .known: .connections
    }
  }
}
