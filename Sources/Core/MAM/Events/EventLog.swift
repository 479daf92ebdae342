import Model
import Support

/// What happened, as the store of an app remembers it: 10,000 events or 30 days, whichever limit is passed first.
///
/// Calls may block on the disk, but wait for events without blocking.
package struct EventLog: Sendable {
  let live: LiveState

  /// The events after `after` that fit on a page, oldest first. Uses no more memory than the result needs.
  ///
  /// A gap means that events after `after` are no longer kept. If the stream never had the number `after`, or it
  /// belongs to another stream, the page contains only a gap, and `next` is the newest number.
  package func list(_ query: EventQuery) throws(MAMError) -> EventPage {
    if live.configuration.isObserving { try live.refresh() }
    return try live.withStore { store throws(MAMError) in try store.events(query) }
  }

  /// Like `list`, but waits until there is something to return. Returns an empty page if the deadline passes or the
  /// task is cancelled first. Without a deadline, it waits forever.
  package func list(
    _ query: EventQuery, waitingUntil deadline: ContinuousClock.Instant?
  ) async throws(MAMError) -> EventPage {
    var query = query
    while true {
      let mark = try live.changeMark()
      let mayWait = !Task.isCancelled && deadline.map { .now < $0 } ?? true
      let page = try list(query)
      guard page.isEmpty, mayWait else { return page }
      query.after = page.next
      query.stream = page.stream
      _ = await live.changes.wait(beyond: mark, until: deadline)
    }
  }

  /// Never blocks. The start is settled at once if the state in memory is up to date.
  package func start() -> EventStart {
    if let newest = live.currentState?.newestEvent { return EventStart(newest) }
    let start = EventStart()
    live.unsettledStarts.add(start)
    return start
  }

  /// Drops a start that nobody needs any more.
  package func drop(_ start: EventStart) {
    if start.seq == nil { live.unsettledStarts.remove(start) }
  }

  /// The number of a start, read from the disk if it is not known.
  package func settle(_ start: EventStart) throws(MAMError) -> Int64 {
    if let seq = start.seq { return seq }
    let newest = try live.withStore { store throws(MAMError) in try store.newestEvent() }
    start.settle(newest)
    live.unsettledStarts.settle(newest)
    return start.seq ?? newest
  }
}
