// Reads server-sent events with fetch, which can send the token, and connects again after an interruption.

const FIRST_WAIT = 500;
const LONGEST_WAIT = 10_000;

/// Calls `receive({id, event, data})` for each event and `connected(isConnected, error)` at each change, until `signal`
/// aborts, or the server refuses the token.
export async function follow(server, path, { signal, receive, connected }) {
  let last = null;
  let wait = FIRST_WAIT;
  while (!signal.aborted) {
    try {
      const headers = last === null ? {} : { "Last-Event-ID": last };
      const response = await server.fetch(path, { headers, signal });
      connected(true);
      wait = FIRST_WAIT;
      await read(response.body, (event) => {
        if (event.id) last = event.id;
        receive(event);
      });
    } catch (error) {
      if (signal.aborted) return;
      if (error.status === 401) {
        connected(false, error);
        return;
      }
    }
    connected(false);
    await pause(wait, signal);
    wait = Math.min(wait * 2, LONGEST_WAIT);
  }
}

async function read(body, receive) {
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  let text = "";
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    text += value;
    const blocks = text.split(/\r?\n\r?\n/);
    text = blocks.pop();
    for (const block of blocks) {
      const event = parse(block);
      if (event.data !== null) receive(event);
    }
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
