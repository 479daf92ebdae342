// The calls of the user, in their order.

/// What an entry has: number, id, method, params, time (of the server's clock, before the call), took (milliseconds),
/// then result or error, and events.
export class Recorder {
  entries = [];
  /// The time of the server's clock at the first call, and whether the state folder was new then.
  beginning = { time: null, isNew: false };
  #numbers = 0;

  begin(beginning) { this.beginning = beginning; }

  add(call) {
    const entry = { number: ++this.#numbers, ...structuredClone(call), events: [] };
    this.entries.push(entry);
    return entry;
  }

  /// Notes that the server gets the call now, which others may have delayed.
  start(entry, time) { Object.assign(entry, { time, started: performance.now() }); }

  finish(entry) { entry.took = performance.now() - entry.started; }

  /// Starts again at a time. A replay then needs the state of that time.
  clear(time) {
    this.entries = [];
    this.beginning = { time, isNew: false };
  }
}
