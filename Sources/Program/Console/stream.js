// Reads server-sent events with fetch, which can send the token, and connects again after an interruption.

const FIRST_WAIT = 500;
const LONGEST_WAIT = 10_000;

/// The events of a path. It can be left and followed again: the server then goes on after the last event.
export class EventStream {
  #last = null;

  /// `receive({id, event, data})` is called for each event, `opened()` at each connection, and `failed(error)` when the
  /// server does not answer or refuses.
  constructor(server, path, { receive, opened = () => {}, failed = () => {} }) {
    Object.assign(this, { server, path, receive, opened, failed });
  }

  /// Reads until `signal` aborts. Ends early if the server does not accept the token.
  async follow(signal) {
    let wait = FIRST_WAIT;
    while (!signal.aborted) {
      try {
        const headers = this.#last === null ? {} : { "Last-Event-ID": this.#last };
        const response = await this.server.fetch(this.path, { headers, signal });
        this.opened();
        wait = FIRST_WAIT;
        await this.#read(response.body);
      } catch (error) {
        if (signal.aborted) return;
        if (error.status !== undefined) this.failed(error);
        if (error.status === 401) return;
      }
      await pause(wait, signal);
      wait = Math.min(wait * 2, LONGEST_WAIT);
    }
  }

  async #read(body) {
    const reader = body.pipeThrough(new TextDecoderStream()).getReader();
    let text = "";
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      text += value;
      const blocks = text.split(/\r?\n\r?\n/);
      text = blocks.pop();
      for (const block of blocks) this.#take(parse(block));
    }
  }

  #take(event) {
    if (event.id) this.#last = event.id;
    if (event.data !== null) this.receive(event);
  }
}

function parse(block) {
  const event = { id: null, event: "message", data: null };
  for (const line of block.split(/\r?\n/)) {
    const [, name, value] = /^([^:]*):? ?(.*)$/s.exec(line);
    if (name === "data") event.data = event.data === null ? value : `${event.data}\n${value}`;
    else if (name === "id" || name === "event") event[name] = value;
  }
  return event;
}

function pause(milliseconds, signal) {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, milliseconds);
    signal.addEventListener("abort", () => { clearTimeout(timer); resolve(); }, { once: true });
  });
}
