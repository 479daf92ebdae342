import JSON
import JSONRPC
import MAM
import Model
import Support

/// Pushes stored events to one host, in order of their numbers, until its task is cancelled or the connection ends.
///
/// Holds one page at a time. While the host does not read, the pump waits; then it continues in the store where it
/// stopped.
struct EventPump {
  private let events: EventLog
  private let subscriptions: EventSubscriptions
  private let peer: any Peer
  private var stream: String?
  /// The number of the last event that was examined.
  private var position: Int64 = 0

  init(events: EventLog, subscriptions: EventSubscriptions, peer: any Peer) {
    self.events = events
    self.subscriptions = subscriptions
    self.peer = peer
  }

  mutating func run() async {
    var isStarted = false
    while !Task.isCancelled && peer.isOpen {
      do throws(MAMError) {
        if !isStarted {
          guard let first = try subscriptions.firstStart() else { return }
          (position, isStarted) = (first, true)
        }
        try await pushPage()
      } catch {
        // The host's own calls report what is wrong with the store, which may recover.
        try? await Task.sleep(for: .seconds(1))
      }
    }
  }

  private mutating func pushPage() async throws(MAMError) {
    let page = try await events.list(EventQuery(after: position, stream: stream), waitingUntil: nil)
    if let gap = page.gap {
      guard await push(EventsGap.name, Array(EventGap(gap).jsonText.utf8)) else { return }
      if page.stream != stream ?? page.stream || page.next < position { subscriptions.restart() }
    }
    stream = page.stream
    for event in page.events {
      guard try await push(event) else { return }
      position = event.seq
    }
    position = page.next
  }

  /// Pushes an event if the host wants it. `false` if nothing more can be pushed.
  private func push(_ event: StoredEvent) async throws(MAMError) -> Bool {
    guard let start = subscriptions.start(of: event.type), try events.settle(start) < event.seq else {
      return !Task.isCancelled
    }
    return await push(event.type, EventText.params(event))
  }

  private func push(_ name: String, _ params: [UInt8]) async -> Bool {
    while !Task.isCancelled && peer.isOpen {
      if peer.notify(name, params: params) { return true }
      await withCheckedContinuation { continuation in peer.whenReady { continuation.resume() } }
    }
    return false
  }
}
