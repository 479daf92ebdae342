import NIOCore
import Support

/// Limits the number of connections of a server among strangers: clients that have not proved yet who they are.
///
/// A stranger always gets in: if there are too many, from its address or in all, it displaces the one that has been idle
/// for longest. So nobody can keep others out by holding connections open, and health checks always get an answer.
/// Clients that have proved who they are keep their connections.
package final class SharedSlots: Sendable {
  /// The room for strangers when all other connections are taken.
  package static let reserve = 16

  fileprivate struct Stranger {
    let network: ClientAddress?
    /// When the connection became idle or busy, in the order of all.
    var turn: Int
    var isBusy = false
    let close: @Sendable () -> Void
  }

  fileprivate struct State {
    var known: Set<ObjectIdentifier> = []
    var strangers: [ObjectIdentifier: Stranger] = [:]
    var ages = AgeQueue()
    var byNetwork: [ClientAddress: Network] = [:]
    var turn = 0
    /// The highest number of connections since memory was last returned.
    var peak = 0

    var count: Int { known.count + strangers.count }
  }

  fileprivate struct Network {
    var count = 0
    var ages = AgeQueue()
  }

  private let connections: Int
  private let ofAddress: Int
  private let exempt: Set<ClientAddress>
  private let state = Lock(State())

  /// At most `connections`, and `reserve` more strangers; at most `ofAddress` strangers of one IPv4 address or one /64 of
  /// IPv6. `exempt` addresses are those of proxies, behind which many clients are.
  package init(connections: Int, ofAddress: Int, exempt: Set<ClientAddress> = []) {
    (self.connections, self.ofAddress, self.exempt) = (connections, ofAddress, exempt)
  }

  /// How many connections are open, and how many of them are strangers.
  package var counts: (open: Int, unauthenticated: Int) {
    state.withLock { ($0.count, $0.strangers.count) }
  }

  /// Takes a slot for a new connection. `close` ends it if it is displaced.
  package func take(
    _ id: ObjectIdentifier, from address: ClientAddress?, close: @escaping @Sendable () -> Void
  ) {
    let network = address.flatMap { exempt.contains($0) ? nil : $0.network }
    let displaced = state.withLock { state in
      let ofNetwork = state.displace(in: network, atMost: ofAddress)
      let ofAll = state.displace(atMost: connections + Self.reserve)
      state.strangers[id] = Stranger(network: network, turn: 0, close: close)
      if let network { state.byNetwork[network, default: Network()].count += 1 }
      state.becomeIdle(id)
      state.peak = max(state.peak, state.count)
      return [ofNetwork, ofAll]
    }
    for stranger in displaced { stranger?.close() }
  }

  /// A busy connection, whose request is being answered, is displaced last.
  package func setBusy(_ id: ObjectIdentifier, _ isBusy: Bool) {
    state.withLock { state in
      guard state.strangers[id] != nil else { return }
      state.strangers[id]?.isBusy = isBusy
      isBusy ? state.nextTurn(id) : state.becomeIdle(id)
    }
  }

  /// Notes that a request on the connection has proved who sent it. If all other connections are taken, it stays among
  /// the strangers.
  package func authenticate(_ id: ObjectIdentifier) {
    state.withLock { state in
      guard state.known.count < connections, state.removeStranger(id) != nil else { return }
      state.known.insert(id)
    }
  }

  /// Can be called again, and for a displaced connection.
  package func free(_ id: ObjectIdentifier) {
    let hasShrunk = state.withLock { state in
      if state.known.remove(id) == nil { _ = state.removeStranger(id) }
      guard state.peak >= 128, state.count <= state.peak / 2 else { return false }
      state.peak = state.count
      return true
    }
    if hasShrunk { HeapMemory.releaseSoon() }
  }
}

extension SharedSlots.State {
  fileprivate mutating func nextTurn(_ id: ObjectIdentifier) {
    turn += 1
    strangers[id]?.turn = turn
  }

  fileprivate mutating func becomeIdle(_ id: ObjectIdentifier) {
    nextTurn(id)
    ages.append(id, turn)
    if ages.isLong(for: strangers.count) { ages.keep(isCurrent) }
    guard let network = strangers[id]?.network, var own = byNetwork[network] else { return }
    byNetwork[network] = nil
    own.ages.append(id, turn)
    if own.ages.isLong(for: own.count) { own.ages.keep(isCurrent) }
    byNetwork[network] = own
  }

  private func isCurrent(_ entry: AgeQueue.Entry) -> Bool {
    strangers[entry.id].map { $0.turn == entry.turn && !$0.isBusy } ?? false
  }

  fileprivate mutating func removeStranger(_ id: ObjectIdentifier) -> SharedSlots.Stranger? {
    guard let stranger = strangers.removeValue(forKey: id) else { return nil }
    guard let network = stranger.network else { return stranger }
    byNetwork[network]?.count -= 1
    if byNetwork[network]?.count == 0 { byNetwork[network] = nil }
    return stranger
  }

  /// Displaces a stranger of the network if that has as many as it may have.
  fileprivate mutating func displace(in network: ClientAddress?, atMost most: Int) -> SharedSlots.Stranger? {
    guard let network, var own = byNetwork[network], own.count >= most else { return nil }
    // Not held twice, because the change would copy the queue.
    byNetwork[network] = nil
    let idle = own.ages.takeFirst(where: isCurrent)
    byNetwork[network] = own
    return removeStranger(idle, orOldestBusy: { $0.network == network })
  }

  /// Displaces a stranger if there are as many connections as there may be.
  fileprivate mutating func displace(atMost most: Int) -> SharedSlots.Stranger? {
    guard count >= most else { return nil }
    var all = AgeQueue()
    swap(&all, &ages)
    let idle = all.takeFirst(where: isCurrent)
    ages = all
    return removeStranger(idle, orOldestBusy: { _ in true })
  }

  private mutating func removeStranger(
    _ idle: ObjectIdentifier?, orOldestBusy isOfKind: (SharedSlots.Stranger) -> Bool
  ) -> SharedSlots.Stranger? {
    (idle ?? oldest(isOfKind)).flatMap { removeStranger($0) }
  }

  private func oldest(_ isOfKind: (SharedSlots.Stranger) -> Bool) -> ObjectIdentifier? {
    var oldest: (id: ObjectIdentifier, turn: Int)?
    for (id, stranger) in strangers where isOfKind(stranger) && stranger.turn < oldest?.turn ?? .max {
      oldest = (id, stranger.turn)
    }
    return oldest?.id
  }
}

/// Connections in the order in which they became idle. Entries that are no longer true are dropped when they are found.
fileprivate struct AgeQueue {
  struct Entry {
    let id: ObjectIdentifier
    let turn: Int
  }

  private var entries = CircularBuffer<Entry>()

  mutating func append(_ id: ObjectIdentifier, _ turn: Int) { entries.append(Entry(id: id, turn: turn)) }

  /// Whether most entries are no longer true.
  func isLong(for count: Int) -> Bool { entries.count > 2 * count + 16 }

  mutating func keep(_ isCurrent: (Entry) -> Bool) {
    entries = CircularBuffer(entries.filter(isCurrent))
  }

  mutating func takeFirst(where isCurrent: (Entry) -> Bool) -> ObjectIdentifier? {
    while let entry = entries.popFirst() {
      if isCurrent(entry) { return entry.id }
    }
    return nil
  }
}
