/*
 * A client for mambridge, the Intune App SDK over JSON-RPC.
 */
export { Client, readEvent } from "./client.js";
export * as errors from "./errors.js";
export { ConnectionLost, MambridgeError, UnexpectedReply } from "./failures.js";
export { VERSION } from "./wire.js";
