// Calls the server: JSON-RPC over POST /rpc, with the token from the address.

export class RPCError extends Error {
  constructor({ code, message, data }) {
    super(message);
    this.code = code;
    this.data = data ?? {};
  }

  /// What a user must answer before the call can be repeated.
  get challenge() { return this.code === 8001 ? this.data.challenge : null; }
}

/// The server is not there, or does not accept the token.
export class ConnectionError extends Error {
  constructor(status) {
    super(status === 401 ? "unauthorized" : "unreachable");
    this.status = status;
  }
}

export class Server {
  #token;
  #name = crypto.randomUUID().slice(0, 8);
  #number = 0;
  #queue = Promise.resolve();

  constructor(token) { this.#token = token; }

  /// An id for a request. No other client uses it, so what the request causes can be told from what others cause.
  newId() { return `${this.#name}-${++this.#number}`; }

  /// Makes one call, after those that are already on their way.
  call(method, params = {}, id = this.newId()) {
    const answer = this.#queue.then(() => this.#call({ id, method, params }));
    this.#queue = answer.catch(() => {});
    return answer;
  }

  async #call(request) {
    const [reply] = await this.#send([request], false);
    if (reply.error) throw new RPCError(reply.error);
    return reply.result;
  }

  /// Makes several calls in one message. In the list of results, a failed call is its error.
  async batch(calls) {
    const requests = calls.map(([method, params = {}]) => ({ id: this.newId(), method, params }));
    const replies = await this.#send(requests, true);
    return replies.map((reply) => (reply.error ? new RPCError(reply.error) : reply.result));
  }

  async #send(calls, isBatch) {
    const requests = calls.map((call) => ({ jsonrpc: "2.0", ...call }));
    const response = await this.fetch("/rpc", {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify(isBatch ? requests : requests[0]),
    });
    const replies = [await response.json()].flat();
    if (replies.length === requests.length) return isBatch ? inOrder(requests, replies) : replies;
    if (replies[0]?.error) throw new RPCError(replies[0].error);
    throw new ConnectionError(0);
  }

  /// A request with the token. Throws unless the answer is 200.
  async fetch(path, { headers, ...options } = {}) {
    let response;
    try {
      response = await fetch(path, {
        ...options,
        headers: { ...headers, Authorization: `Bearer ${this.#token}` },
        cache: "no-store", credentials: "omit", referrerPolicy: "no-referrer", redirect: "error",
      });
    } catch (error) {
      if (error.name === "AbortError") throw error;
      throw new ConnectionError(0);
    }
    if (!response.ok) throw new ConnectionError(response.status);
    return response;
  }
}

function inOrder(requests, replies) {
  const byId = new Map(replies.map((reply) => [reply.id, reply]));
  return requests.map(({ id }) => byId.get(id) ?? { error: { code: 0, message: "" } });
}

/// Takes the token out of the address at once, so that neither history nor a bookmark has it.
export function takeToken() {
  const found = /^#token=([0-9a-f]+)$/i.exec(location.hash);
  if (found) history.replaceState(null, "", location.pathname);
  return found?.[1] ?? null;
}
