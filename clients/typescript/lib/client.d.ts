import type { MambridgeEvent } from "./events.js";
import type { Host } from "./host.js";
import { Methods } from "./methods.js";

/** How far long work is. */
export interface Progress {
  kind: "begin" | "report" | "end";
  /** 0 to 100; absent if unknown. */
  percentage?: number;
  message?: string;
}

/** The options of every call. */
export interface CallOptions {
  /** In milliseconds. The server ends a call that takes longer with DeadlineExceeded. */
  timeout?: number | undefined;
  /**
   * Cancels the call, which then rejects with the reason of the signal. If it is too late to cancel, the call ends as
   * usual.
   */
  signal?: AbortSignal | undefined;
  /** Is called with the progress of long work until the call ends. */
  onProgress?: ((progress: Progress) => void) | undefined;
}

export interface ClientOptions {
  /** Answers the requests of the server. */
  host?: Host | undefined;
  /**
   * Gets the events, one at a time: a promise is waited for. Without it, `listen` returns the events. If more than 10,000
   * events wait, the oldest are dropped, and one EventsGap takes their place.
   */
  onEvent?: ((event: MambridgeEvent) => void | Promise<void>) | undefined;
  /** For calls without a timeout of their own, in milliseconds. */
  timeout?: number | undefined;
}

export interface SpawnOptions extends ClientOptions {
  /** The working directory of the server. */
  cwd?: string | undefined;
  /** Environment variables, added to ours. */
  env?: Record<string, string> | undefined;
  /**
   * Whether the server runs in a process group of its own; true by default. It then gets no signal that Ctrl-C or a service
   * manager sends to the group of this program.
   */
  ownProcessGroup?: boolean | undefined;
}

export interface ConnectOptions extends ClientOptions {
  /** The file of the token that the server names; for TCP. */
  tokenFile?: string | undefined;
}

/**
 * A connection to a server. Many calls may run at once. Handlers of events and of requests may make calls, too.
 * `initialize` declares what the host answers and which events it wants.
 */
export declare class Client extends Methods {
  private constructor();

  /** Starts a server as a child process. If it cannot start, the first call rejects with ConnectionLost. */
  static spawn(executable?: string, args?: readonly string[], options?: SpawnOptions): Client;

  /** Connects to `unix:///PATH`, or to `tcp://HOST:PORT` with the file of the token. */
  static connect(address: string, options?: ConnectOptions): Promise<Client>;

  /** The process id of the child; undefined for a socket. */
  get pid(): number | undefined;

  /** The exit code of the child once it has ended; null if it was ended by a signal, or for a socket. */
  get exitCode(): number | null;

  /** Makes a call without types: the params go out as they are, and the result comes back as parsed JSON. */
  call(method: string, params?: Record<string, unknown>, options?: CallOptions): Promise<any>;

  /** Sends a notification. The server does not reply, not even to report a failure. */
  notify(method: string, params?: Record<string, unknown>): void;

  /** The events as they come, until the connection ends. Each event goes to one listener. */
  listen(options?: { signal?: AbortSignal | undefined }): AsyncGenerator<MambridgeEvent, void, void>;

  /**
   * Ends the connection: running calls are answered first. A child that does not exit within 35 seconds is ended with
   * SIGTERM, then with SIGKILL.
   */
  close(): Promise<void>;
}

/** Creates an event from the type and params of an entry of `events.list`. */
export declare function readEvent(name: string, params: Record<string, unknown>): MambridgeEvent;
