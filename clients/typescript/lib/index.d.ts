/**
 * A client for mambridge, the Intune App SDK over JSON-RPC.
 *
 * `errors` has the errors by name. The types of values, events and host requests are exported by their names.
 */
export { Client, readEvent } from "./client.js";
export type { CallOptions, ClientOptions, ConnectOptions, Progress, SpawnOptions } from "./client.js";
export * as errors from "./errors.js";
export type { ErrorName } from "./errors.js";
export * from "./events.js";
export { ConnectionLost, MambridgeError, UnexpectedReply } from "./failures.js";
export * from "./host.js";
export * from "./types.js";

/** The version of the schema that this client was generated from. */
export declare const VERSION: string;
