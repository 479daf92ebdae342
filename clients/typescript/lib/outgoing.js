/*
 * The messages to a server. Its stream gets one when it has room, so a message to a server that does not read can be
 * withdrawn instead of being kept for ever.
 */
export class Outgoing {
  #stream;
  #waiting = new Map();
  #ends = false;

  constructor(stream) {
    this.#stream = stream;
    stream.on("drain", () => this.#flush());
    stream.once("close", () => this.#waiting.clear());
  }

  onError(handle) {
    this.#stream.on("error", handle);
  }

  write(message, key = message) {
    this.#waiting.set(key, message);
    this.#flush();
  }

  /** Removes a message that is not on its way yet, and returns whether there was one. */
  withdraw(key) {
    return this.#waiting.delete(key);
  }

  /** Ends the stream after the messages that wait. */
  end() {
    this.#ends = true;
    this.#flush();
  }

  #flush() {
    if (!this.#stream.writable) this.#waiting.clear();
    for (const [key, message] of this.#waiting) {
      if (this.#stream.writableNeedDrain) return;
      this.#waiting.delete(key);
      this.#stream.write(message);
    }
    if (this.#ends) this.#stream.end();
  }
}
