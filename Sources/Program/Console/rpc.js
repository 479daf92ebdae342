// Calls the server: JSON-RPC over POST /rpc, with the token from the address.

/// How long a call may take, in milliseconds. The longest calls move the clock by a year or ask a slow policy source.
const PATIENCE = 120_000;
const NO_ANSWER = 0;
const TOO_SLOW = 408;

export class RPCError extends Error {
  constructor({ code, message, data }) {
    super(message);
    this.code = code;
    this.data = data ?? {};
  }

  /// What a user must answer before the call can be repeated.
  get challenge() { return this.code === 8001 ? this.data.challenge : null; }
}

/// The server gave no answer (status 0), does not accept the token (401), or refused the request (any other status).
export class ConnectionError extends Error {
  constructor(status, message) {
    super(message);
    this.status = status;
  }

  static noAnswer() { return new ConnectionError(NO_ANSWER, "The server does not answer."); }

  static tooSlow(patience) {
    return new ConnectionError(TOO_SLOW, `The server did not answer within ${patience / 1000} seconds. ` +
      "If other windows show a console, close them, because a browser opens few connections to a server.");
  }
}

export class Server {
  #token;
  #name = crypto.randomUUID().slice(0, 8);
  #number = 0;
  #patience;
  #reached;

  /// `reached(isReached)` is called at every answer, whatever it says, and whenever the server cannot be reached.
  constructor(token, { reached = () => {}, patience = PATIENCE } = {}) {
    this.#token = token;
    this.#patience = patience;
    this.#reached = reached;
  }

  hasToken(token) { return token === this.#token; }

  /// An id for a request. No other client uses it, so what the request causes can be told from what others cause.
  newId() { return `${this.#name}-${++this.#number}`; }

  async call(method, params = {}, id = this.newId()) {
    const [reply] = await this.#send([{ id, method, params }], false);
    if (reply.error) throw new RPCError(reply.error);
    return reply.result;
  }

  /// Makes several calls in one message. In the list of results, a failed call is its error.
  async batch(calls) {
    const requests = calls.map(([method, params = {}]) => ({ id: this.newId(), method, params }));
    const replies = await this.#send(requests, true);
    return replies.map((reply) => (reply.error ? new RPCError(reply.error) : reply.result));
  }

  /// What the command says about itself.
  async session() {
    return (await this.fetch("/session.json", { signal: AbortSignal.timeout(this.#patience) })).json();
  }

  /// The lines of the record, which the server keeps until it ends.
  async record() {
    const text = await (await this.fetch("/record", { signal: AbortSignal.timeout(this.#patience) })).text();
    return text.split("\n").filter(Boolean).map((line) => JSON.parse(line));
  }

  /// Adds a line to the record, or lets the record begin anew with it.
  keep(line, isFirst) {
    return this.#post("/record", line, isFirst ? "PUT" : "POST");
  }

  #post(path, content, method = "POST") {
    return this.fetch(path, {
      method,
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify(content),
      signal: AbortSignal.timeout(this.#patience),
    });
  }

  async #send(calls, isBatch) {
    const requests = calls.map((call) => ({ jsonrpc: "2.0", ...call }));
    const response = await this.#post("/rpc", isBatch ? requests : requests[0]);
    const replies = [await response.json().catch((error) => { throw this.#connectionError(error); })].flat();
    if (replies.length === requests.length) return isBatch ? inOrder(requests, replies) : replies;
    if (replies[0]?.error) throw new RPCError(replies[0].error);
    throw ConnectionError.noAnswer();
  }

  /// A request with the token. Throws unless the answer is 200.
  async fetch(path, { headers, ...options } = {}) {
    const response = await fetch(path, {
      ...options,
      headers: { ...headers, Authorization: `Bearer ${this.#token}` },
      cache: "no-store", credentials: "omit", referrerPolicy: "no-referrer", redirect: "error",
    }).catch((error) => { throw error.name === "AbortError" ? error : this.#connectionError(error); });
    this.#reached(true);
    if (response.ok) return response;
    throw new ConnectionError(response.status, (await response.text().catch(() => "")).trim());
  }

  #connectionError(error) {
    if (error.name === "TimeoutError") return ConnectionError.tooSlow(this.#patience);
    this.#reached(false);
    return ConnectionError.noAnswer();
  }
}

function inOrder(requests, replies) {
  const byId = new Map(replies.map((reply) => [reply.id, reply]));
  return requests.map(({ id }) => byId.get(id) ?? { error: { code: 0, message: "The server did not answer this." } });
}

/// Takes the token out of the address at once, so that neither history nor a bookmark has it.
export function takeToken() {
  const found = /^#token=([0-9a-f]+)$/i.exec(location.hash);
  if (found) history.replaceState(null, "", location.pathname);
  return found?.[1] ?? null;
}
