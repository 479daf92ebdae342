// The calls of the user, in their order. The server keeps a copy, so a page that is loaded again has them all.

/// What an entry has: number, id, method, params, time (of the server's clock, before the call), took (milliseconds),
/// then result or error, and events.
export class Recorder {
  entries = [];
  /// The time of the server's clock at the first call, and whether the state folder was new then.
  beginning = { time: null, isNew: false };
  #keep = async () => {};

  /// Takes over the lines that the server has, or begins. `keep(line, isFirst)` hands a line to the server.
  begin(beginning, lines, keep) {
    this.#keep = keep;
    if (lines.length === 0) keep({ beginning }, false);
    this.beginning = lines.find((line) => line.beginning)?.beginning ?? beginning;
    const entries = new Map(lines.filter(({ entry }) => entry).map(({ entry }) => [entry.id, entry]));
    this.entries = [...entries.values()].map((entry, index) => ({ ...entry, number: index + 1 }));
  }

  add(call) {
    const entry = { number: (this.entries.at(-1)?.number ?? 0) + 1, ...structuredClone(call), events: [] };
    this.entries.push(entry);
    return entry;
  }

  /// Notes that the server gets the call now, which others may have delayed.
  start(entry, time) { Object.assign(entry, { time, started: performance.now() }); }

  finish(entry) { entry.took = performance.now() - entry.started; }

  /// Hands an answered call to the server; a later line about the same call replaces the former.
  keep(entry) { return this.entries.includes(entry) ? this.#keep({ entry }, false) : undefined; }

  /// Starts again at a time. A replay then needs the state of that time.
  clear(time) {
    this.entries = [];
    this.beginning = { time, isNew: false };
    return this.#keep({ beginning: this.beginning }, true);
  }
}
