/*
 * The errors of the client. `errors` adds a class for each error that the server names.
 */

export class MambridgeError extends Error {
  #details;

  /** `known` has the name, domain and SDK code of a class of `errors`. Members of `data` override them. */
  constructor(code, message, data = undefined, known = {}) {
    super(message);
    this.#details = { ...known, ...(typeof data === "object" ? data : {}) };
    hide(this, "name", this.#details.name ?? "MambridgeError");
    this.code = code;
    this.data = data;
  }

  get domain() {
    return this.#details.domain;
  }

  get sdkCode() {
    return this.#details.sdkCode;
  }

  get hint() {
    return this.#details.hint;
  }

  get retryable() {
    return this.#details.retryable === true;
  }

  /** The `error` object of a reply. */
  toJSON() {
    return { code: this.code, message: this.message, data: this.data };
  }
}

export class ConnectionLost extends Error {
  constructor(reason, { exitCode = null, signal = null, lastLines = [] } = {}) {
    const words = lastLines.filter((line) => line).join(" | ");
    super(words ? `${reason}; its last lines on stderr: ${words}` : reason);
    hide(this, "name", "ConnectionLost");
    this.reason = reason;
    this.exitCode = exitCode;
    this.signal = signal;
    this.lastLines = lastLines;
  }
}

export class UnexpectedReply extends Error {
  constructor(message) {
    super(message);
    hide(this, "name", "UnexpectedReply");
  }
}

/** Sets a member that is not shown beside the message. */
function hide(error, name, value) {
  Object.defineProperty(error, name, { value, configurable: true, enumerable: false, writable: true });
}
