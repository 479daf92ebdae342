import Model
import Support

/// What happened, as the store of an app remembers it: 10,000 events or 30 days, whichever is passed first.
///
/// Its calls may block on the disk, and wait without blocking.
package struct EventLog: Sendable {
  let core: Core

  /// The events behind `after` that fit, oldest first. Holds no more in memory than it returns.
  ///
  /// A gap tells that events behind `after` are no longer kept. A number that the stream never gave, or another stream's,
  /// is answered with a gap alone, and `next` is the newest.
  package func list(_ query: EventQuery) throws(MAMError) -> EventPage {
    try core.withStore { store throws(MAMError) in try store.events(query) }
  }

  /// The same, as soon as there is anything to return; an empty page when that did not come in time, or when the task was
  /// cancelled. Without a deadline it waits for ever.
  package func list(
    _ query: EventQuery, waitingUntil deadline: ContinuousClock.Instant?
  ) async throws(MAMError) -> EventPage {
    var query = query
    while true {
      let mark = try core.changeMark()
      let mayWait = !Task.isCancelled && deadline.map { .now < $0 } ?? true
      let page = try list(query)
      guard page.isEmpty, mayWait else { return page }
      query.after = page.next
      query.stream = page.stream
      _ = await core.changes.wait(beyond: mark, until: deadline)
    }
  }

  /// Never blocks. Settled at once when what the core has in memory is up to date.
  package func start() -> EventStart {
    if let newest = core.currentState?.newestEvent { return EventStart(newest) }
    let start = EventStart()
    core.unsettledStarts.add(start)
    return start
  }

  /// Nobody needs it any more.
  package func drop(_ start: EventStart) {
    if start.seq == nil { core.unsettledStarts.remove(start) }
  }

  /// The number of a start, read where it is not known.
  package func settle(_ start: EventStart) throws(MAMError) -> Int64 {
    if let seq = start.seq { return seq }
    let newest = try core.withStore { store throws(MAMError) in try store.newestEvent() }
    start.settle(newest)
    core.unsettledStarts.settle(newest)
    return start.seq ?? newest
  }
}
