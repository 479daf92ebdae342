/*
 * The events that nobody has read yet. Past a limit, the oldest are dropped, and one events.gap takes their place.
 */
import { onAbort } from "./abort.js";

const MOST = 10_000;

export class EventQueue {
  #events = [];
  #gap = null;
  #ended = false;
  #waiting = new Set();

  put(event) {
    if (this.#events.length === MOST) this.#drop(this.#events.shift());
    this.#events.push(event);
    this.#wake();
  }

  /** Ends the listeners once they have all events. */
  end() {
    this.#ended = true;
    this.#wake();
  }

  async *listen({ signal } = {}) {
    while (true) {
      signal?.throwIfAborted();
      const event = this.#next();
      if (event) yield event;
      else if (this.#ended) return;
      else await this.#changed(signal);
    }
  }

  #next() {
    const found = this.#gap ?? this.#events.shift();
    this.#gap = null;
    return found;
  }

  /** Extends the gap by an event, or by a gap that the server reported. Events without a number leave no gap. */
  #drop(event) {
    const seq = event.event === "unknown" ? event.params?.seq : event.seq;
    const missing = event.event === "events.gap" ? event : { after: seq - 1, to: seq };
    if (!Number.isSafeInteger(missing.to)) return;
    this.#gap = { event: "events.gap", after: this.#gap?.after ?? missing.after, to: missing.to };
  }

  /** Waits for the next event, the end, or the signal. */
  #changed(signal) {
    return new Promise((resolve) => {
      let forgetSignal;
      const wake = () => {
        this.#waiting.delete(wake);
        forgetSignal?.();
        resolve();
      };
      this.#waiting.add(wake);
      if (signal) forgetSignal = onAbort(signal, wake);
    });
  }

  #wake() {
    for (const wake of this.#waiting) wake();
  }
}
