/*
 * The errors of the client. `errors` adds a class for each error that the server names.
 */

export class MambridgeError extends Error {
  /** `known` is what a class of `errors` knows about itself: the server's `data` comes first. */
  constructor(code, message, data = undefined, known = {}) {
    super(message);
    const details = { ...known, ...(typeof data === "object" ? data : {}) };
    hide(this, "name", details.name ?? "MambridgeError");
    this.code = code;
    this.domain = details.domain;
    this.sdkCode = details.sdkCode;
    this.hint = details.hint;
    this.retryable = details.retryable === true;
    this.data = data;
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
