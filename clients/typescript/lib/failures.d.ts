import type { ErrorName } from "./errors.js";

/** An error reply from the server, or the answer of a host that refuses. */
export declare class MambridgeError extends Error {
  constructor(code: number, message: string, data?: unknown);
  /** A stable symbol to compare with. */
  readonly name: ErrorName | "MambridgeError";
  readonly code: number;
  /** The error domain and code of the SDK, if the SDK has the error. */
  get domain(): string | undefined;
  get sdkCode(): number | undefined;
  /** What to do. */
  get hint(): string | undefined;
  /** Whether the same call may succeed later. */
  get retryable(): boolean;
  /** More details, such as `path`, the place of a wrong parameter. */
  readonly data: any;
}

/** The server is gone, or this client is closed. */
export declare class ConnectionLost extends Error {
  constructor(reason: string, details?: { exitCode?: number | null; signal?: string | null; lastLines?: string[] });
  readonly name: "ConnectionLost";
  /** The message without the last lines on stderr. */
  readonly reason: string;
  /** The exit code of the child process; null if it was ended by a signal, or for a socket. */
  readonly exitCode: number | null;
  /** The signal that ended the child process, such as "SIGKILL". */
  readonly signal: string | null;
  /** The last lines of the child process on stderr. */
  readonly lastLines: string[];
}

/** The server answered with something that this version of the client cannot read. The text holds no part of it. */
export declare class UnexpectedReply extends Error {
  constructor(message: string);
  readonly name: "UnexpectedReply";
}
