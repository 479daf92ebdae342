/*
 * How a sandbox is started: its options, the names of its users, and what a failed start says.
 */
import { basename } from "node:path";

import { ConnectionLost } from "./failures.js";
import { VERSION } from "./wire.js";

const SAMPLE_USERS = ["alice", "bob", "carol", "dave"];
const OPTIONS = ["seed", "at", "binary", "settings", "appId", "timeout"];

export class SandboxError extends Error {
  name = "SandboxError";
}

export function fullName(user) {
  return SAMPLE_USERS.includes(user) ? `${user}@contoso.example` : user;
}

export function commandLine({ seed = "sample", at, settings = {}, appId }) {
  const list = ["sandbox", "--seed", seed];
  if (at !== undefined) list.push("--at", at instanceof Date ? at.toISOString() : at);
  for (const [name, value] of Object.entries(settings)) list.push("--set", `${name}=${value}`);
  if (appId !== undefined) list.push("--app-id", appId);
  return list;
}

export function checkOptions(given) {
  if (typeof given !== "object") throw new TypeError(`options must be an object, such as { seed }, not ${typeof given}`);
  const unknown = Object.keys(given).find((name) => !OPTIONS.includes(name));
  if (unknown === undefined) return;
  const nearest = OPTIONS.find((name) => Math.abs(name.length - unknown.length) < 3 && distance(name, unknown) < 3);
  throw new TypeError(`no option ${unknown}; ${nearest ? `did you mean ${nearest}?` : `there are ${OPTIONS.join(", ")}`}`);
}

/** How many letters to add, drop or change. */
function distance([first, ...rest], [other, ...others]) {
  if (first === undefined || other === undefined) return (first ? 1 + rest.length : 0) + (other ? 1 + others.length : 0);
  if (first === other) return distance(rest, others);
  return 1 + Math.min(distance(rest, others), distance([first, ...rest], others), distance(rest, [other, ...others]));
}

/** Why a sandbox has not started. */
export function failure(binary, client, error) {
  if (client.pid === undefined && error.message.endsWith("ENOENT")) {
    return new SandboxError(`cannot start ${binary}: there is no such program. Install mambridge, or name the ` +
      "program with MAMBRIDGE in the environment, or with the option binary");
  }
  if (client.pid === undefined) return new SandboxError(error.message);
  // How mambridge begins the reason why a sandbox does not start.
  const refusal = error instanceof ConnectionLost && /the sandbox cannot begin: .*/.exec(error.lastLines.join("\n"));
  if (refusal) return new SandboxError(refusal[0]);
  return new SandboxError(`${binary} does not serve a sandbox: ${error.message}. Use mambridge ${VERSION} or newer; ` +
    `\`${basename(binary)} --version\` says which one it is`);
}
