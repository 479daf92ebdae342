import JSONRPC
import Support

/// The connections that declared which requests they answer, in the order of their `initialize` calls.
final class HostRegistry: Sendable {
  private struct Member {
    let connection: ObjectIdentifier
    let peer: any Peer
    let delegates: Set<String>
  }

  let tokenQuestions = TokenQuestions()
  private let members = Lock<[Member]>([])

  func add(_ connection: BridgeConnection, _ peer: any Peer, answering delegates: Set<String>) {
    let member = Member(connection: ObjectIdentifier(connection), peer: peer, delegates: delegates)
    members.withLock { $0.append(member) }
  }

  func remove(_ connection: BridgeConnection) {
    let removed = members.withLock { members in
      defer { members.removeAll { $0.connection == ObjectIdentifier(connection) } }
      return members.filter { $0.connection == ObjectIdentifier(connection) }
    }
    // Released outside the lock.
    withExtendedLifetime(removed) {}
  }

  /// Whether any connection declared the request.
  func isAnswered(_ request: String) -> Bool { peer(answering: request, askedBy: nil) != nil }

  /// The connection to ask: the one whose call caused the question if it declared the request, else the oldest
  /// connection that did; `nil` if none did.
  func peer(answering request: String, askedBy asker: BridgeConnection?) -> (any Peer)? {
    let members = members.withLock { $0 }.filter { $0.delegates.contains(request) && $0.peer.isOpen }
    let own = members.first { member in asker.map { member.connection == ObjectIdentifier($0) } ?? false }
    return (own ?? members.first)?.peer
  }
}
