/*
 * The client: calls, events, and requests of the server, over one connection.
 */
import { onAbort } from "./abort.js";
import { Child, openSocket, readToken } from "./connection.js";
import * as errors from "./errors.js";
import { EventQueue } from "./event-queue.js";
import { ConnectionLost, MambridgeError, UnexpectedReply } from "./failures.js";
import { Lines } from "./lines.js";
import { Methods } from "./methods.js";
import { asIs, timeText, writeMembers } from "./values.js";
import { EVENTS, HOST_REQUESTS } from "./wire.js";

// How long after a deadline or a cancel the client still waits for the server to say how the call ended.
const GRACE = 5_000;
const LONGEST = 86_400_000;

export class Client extends Methods {
  #connection;
  #host;
  #timeout;
  #calls = new Map();
  #number = 0;
  #lines = new Lines();
  #lost = null;
  #closing = null;
  #events = new EventQueue();
  #isUnref;
  #held = 0;

  /** With `unref`, the connection keeps Node running only while a call or a listener waits. */
  constructor(connection, { host, onEvent, timeout, unref = false } = {}) {
    super((...call) => this.#invoke(...call));
    this.#connection = connection;
    this.#host = host;
    this.#timeout = timeout;
    connection.output.on("data", (chunk) => this.#read(chunk));
    connection.output.on("error", () => {});
    connection.input.onError(() => this.#stopsReading());
    connection.ended.then((lost) => this.#end(lost));
    this.#isUnref = unref;
    this.#hold(0);
    if (onEvent) this.#handleEvents(onEvent);
  }

  #hold(change) {
    this.#held += change;
    if (this.#isUnref) this.#connection.hold(this.#held > 0);
  }

  static spawn(executable = "mambridge", args = [], { cwd, env, ownProcessGroup, ...options } = {}) {
    return new Client(new Child(executable, args, { cwd, env, ownProcessGroup }), options);
  }

  static async connect(address, { tokenFile, ...options } = {}) {
    const connection = await openSocket(address);
    const client = new Client(connection, options);
    try {
      if (tokenFile !== undefined) await client.authenticate(await readToken(tokenFile), { timeout: 10_000 });
    } catch (error) {
      connection.output.destroy();
      throw error;
    }
    return client;
  }

  get pid() {
    return this.#connection.pid;
  }

  get exitCode() {
    return this.#connection.exitCode ?? null;
  }

  // Calls

  async call(method, params = {}, options = {}) {
    return this.#request(method, params, options);
  }

  notify(method, params = {}) {
    this.#write(line({ method, params }));
  }

  /** Makes a call of `Methods`. Optional parameters are in one object with the options that every call takes. */
  async #invoke(method, required, options, read = asIs, writers = {}) {
    if (typeof (options ?? {}) !== "object") {
      const kind = typeof options === "string" ? "text" : `a ${typeof options}`;
      throw new TypeError(`options must be an object, such as { account }, not ${kind}`);
    }
    const { timeout, signal, onProgress, ...optional } = options ?? {};
    const params = writeMembers({ ...given(optional), ...required }, writers);
    if (method === "initialize" && this.#host) params.delegates ??= declared(this.#host);
    const result = await this.#request(method, params, { timeout, signal, onProgress });
    try {
      return read(result);
    } catch (error) {
      throw new UnexpectedReply(`the result of ${method} cannot be read: ${error.message}`);
    }
  }

  /** Makes a call. The stack of its error is that of the caller, not of the code that read the reply. */
  async #request(method, params, options) {
    try {
      return await this.#send(method, params, options);
    } catch (error) {
      if (error instanceof MambridgeError || error instanceof ConnectionLost) Error.captureStackTrace(error);
      throw error;
    }
  }

  #send(method, params, { timeout = this.#timeout, signal, onProgress }) {
    signal?.throwIfAborted();
    const id = ++this.#number;
    const message = line({ id, method, params: withOptions(params, id, timeout, onProgress) });
    return new Promise((resolve, reject) => {
      const call = { id, resolve, reject, onProgress, signal, size: message.length };
      this.#write(message, id);
      this.#calls.set(id, call);
      this.#hold(1);
      if (timeout !== undefined) call.timer = this.#limit(call, method, timeout);
      if (signal) call.forgetSignal = onAbort(signal, () => this.#abort(call));
    });
  }

  #limit(call, method, timeout) {
    return setTimeout(() => {
      this.#cancel(call);
      this.#take(call.id)?.reject(new errors.DeadlineExceeded(`${method}: no answer within ${timeText(timeout)}`));
    }, Math.min(timeout, LONGEST) + GRACE);
  }

  /** Cancels a call. The server says whether that was in time; if it says nothing, the call ends anyway. */
  #abort(call) {
    const wait = this.#cancel(call) ? 0 : GRACE;
    clearTimeout(call.timer);
    call.timer = setTimeout(() => this.#take(call.id)?.reject(call.signal.reason), wait);
  }

  /** Returns whether the server never heard of the call. */
  #cancel({ id }) {
    if (this.#connection.input.withdraw(id)) return true;
    if (!this.#lost && !this.#closing) this.#write(line({ method: "$/cancelRequest", params: { id } }));
    return false;
  }

  /** Removes a call from those that wait, and returns it to be resolved or rejected. */
  #take(id) {
    const call = this.#calls.get(id);
    if (!call) return undefined;
    this.#calls.delete(id);
    this.#hold(-1);
    clearTimeout(call.timer);
    call.forgetSignal?.();
    return call;
  }

  #write(message, id = undefined) {
    if (this.#lost) throw again(this.#lost);
    if (this.#closing) throw new ConnectionLost("this client is closed");
    this.#connection.input.write(message, id);
  }

  // What the server sends

  #read(chunk) {
    if (this.#lost) return;
    try {
      for (const text of this.#lines.of(chunk)) this.#readLine(text);
    } catch (lost) {
      this.#lines = null;
      this.#end(lost);
    }
  }

  #readLine(text) {
    if (!text.trim()) return;
    try {
      const found = JSON.parse(text);
      for (const message of Array.isArray(found) ? found : [found]) this.#receive(message);
    } catch {
      throw new ConnectionLost("the server sent a line that is no message");
    }
  }

  #receive(message) {
    if (message.method === undefined) this.#receiveReply(message);
    else if (message.id !== undefined) void this.#answer(message);
    else if (message.method === "$/progress") this.#receiveProgress(message.params);
    else this.#events.put(readEvent(message.method, message.params));
  }

  #receiveReply({ id, result, error }) {
    if ((id ?? error ?? null) === null) throw new TypeError("neither a reply nor an error");
    const call = this.#take(id ?? this.#longest());
    if (!call) return;
    const found = error && errors.fromWire(error);
    if (!found) call.resolve(result);
    else call.reject(call.signal?.aborted && found instanceof errors.Cancelled ? call.signal.reason : found);
  }

  /** The call with the longest message: most likely the one that the server could not read. */
  #longest() {
    return [...this.#calls.values()].sort((one, other) => other.size - one.size)[0]?.id;
  }

  #receiveProgress(params) {
    attempt(() => this.#calls.get(params?.token)?.onProgress?.(params.value));
  }

  async #answer({ id, method, params }) {
    let reply;
    try {
      reply = line({ id, result: (await ask(this.#host, method, params ?? {})) ?? null });
    } catch (error) {
      reply = refusal(id, method, error);
    }
    if (!this.#lost) this.#connection.input.write(reply);
  }

  // Events

  async *listen(options = {}) {
    this.#hold(1);
    try {
      yield* this.#events.listen(options);
    } finally {
      this.#hold(-1);
    }
  }

  async #handleEvents(handle) {
    for await (const event of this.#events.listen()) await attempt(() => handle(event));
  }

  // The end

  close() {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close() {
    this.#hold(1);
    await this.#connection.stop();
    this.#end(await this.#connection.ended);
  }

  #stopsReading() {
    setTimeout(() => this.#end(new ConnectionLost("mambridge does not read any more")), 2 * GRACE).unref();
  }

  #end(lost) {
    if (this.#lost) return;
    this.#lost = lost;
    for (const id of [...this.#calls.keys()]) this.#take(id).reject(again(lost));
    this.#events.end();
  }
}

/** Creates an event from its name and params. An event that this version cannot read is an UnknownEvent. */
export function readEvent(name, params) {
  try {
    return { event: name, ...EVENTS[name](params) };
  } catch {
    return { event: "unknown", name, params };
  }
}

async function ask(host, method, params) {
  const found = HOST_REQUESTS[method];
  if (!found || !host?.[found.handler]) throw new errors.MethodNotFound(`this host does not answer ${method}`);
  let request;
  try {
    request = found.read(params);
  } catch {
    throw new errors.InvalidParams(`this host cannot read the params of ${method}`);
  }
  return found.write(await host[found.handler](request));
}

/** The answer of a host that fails. Any error but a MambridgeError is sent without its text. */
function refusal(id, method, error) {
  try {
    if (error instanceof MambridgeError) return line({ id, error });
  } catch (unwritten) {
    error = unwritten;
  }
  report(error);
  return line({ id, error: new errors.InternalError(`the host failed to answer ${method}`) });
}

/** The requests that a host answers. */
function declared(host) {
  return Object.keys(HOST_REQUESTS).filter((name) => host[HOST_REQUESTS[name].handler]);
}

function line(message) {
  return Buffer.from(`${JSON.stringify({ jsonrpc: "2.0", ...message }, finite)}\n`);
}

/** JSON has no form for NaN and infinity, which would be sent as null. */
function finite(_, value) {
  if (typeof value === "number" && !Number.isFinite(value)) throw new RangeError(`${value} cannot be sent`);
  return value;
}

function given(members) {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined && value !== null));
}

/** Adds the deadline, and asks for progress under the number of the request. */
function withOptions(params, id, timeout, onProgress) {
  const meta = {};
  if (onProgress) meta.progressToken = id;
  if (timeout !== undefined) meta.timeoutMilliseconds = Math.min(Math.max(1, Math.round(timeout)), LONGEST);
  return Object.keys(meta).length > 0 ? { ...params, _meta: meta } : params;
}

/** A copy of the error, because each call that it ends needs its own stack. */
function again(lost) {
  return new ConnectionLost(lost.reason, lost);
}

/** Calls a handler, and reports its error. */
async function attempt(handle) {
  try {
    await handle();
  } catch (error) {
    report(error);
  }
}

function report(error) {
  process.emitWarning(error instanceof Error ? error : String(error));
}
