/*
 * A sandbox for each test of an app: a fresh tenant, a clock that stands still, and a user who answers.
 */
import { AssertionError } from "node:assert";
import { randomUUID } from "node:crypto";
import { writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join, resolve } from "node:path";

import { rememberAwaited } from "./awaited.js";
import { Client, readEvent } from "./client.js";
import { DeadlineExceeded } from "./errors.js";
import { ConnectionLost } from "./failures.js";
import { Network } from "./network.js";
import { VERSION } from "./wire.js";

const SAMPLE_USERS = ["alice", "bob", "carol", "dave"];

// In milliseconds: how long `waitFor` waits, and how long the first answer and a report may take.
const PATIENCE = 10_000;
const START = 30_000;
const REPORT = 5_000;
// How much longer than its wait a call may take.
const MARGIN = 30_000;
const UNITS = { days: 86_400_000, hours: 3_600_000, minutes: 60_000, seconds: 1_000 };

// Methods that need not be awaited by the test.
const NO_VERBS = ["constructor", "close", "report", "checkAwaited"];
const OPTIONS = ["seed", "at", "binary", "settings", "appId", "timeout"];
const HEADING = "--- what happened in the sandbox";
const REPLAY = "\n--- a script that replays it\n";
// How mambridge begins the text about a user whom the tenant does not list.
const UNLISTED = "The tenant does not list this user.";
// The statuses of a wipe of an account that is not enrolled.
const NOT_ENROLLED = ["appNotEnrolled", "notEnrolledAccount"];
// The longest time of a timer, in milliseconds.
const LONG = 2 ** 31 - 1;

export class SandboxError extends Error {
  name = "SandboxError";
}

export function fullName(user) {
  return SAMPLE_USERS.includes(user) ? `${user}@contoso.example` : user;
}

export function withSandbox(...given) {
  const work = given.pop();
  return async (...context) => {
    const [test] = context;
    const mam = await Sandbox.start(given[0]);
    const alive = setInterval(() => {}, LONG); // Node runs on while the test waits for anything but a call.
    try {
      if (test?.test) tellOfSubtests(mam, test);
      await Promise.race([work(mam, ...context), abort(test?.signal)]);
      mam.checkAwaited();
    } catch (error) {
      await tell(mam, test, error);
      throw error;
    } finally {
      clearInterval(alive);
      await mam.close();
    }
  };
}

/** Prints what happened. The replay is in a file, because reporters escape what tests print. */
async function tell(mam, test, error) {
  const [story, script] = (await mam.report(`${test?.name ?? "the calls of a test"}\n${error}`)).split(REPLAY);
  const file = join(tmpdir(), `mambridge-${randomUUID()}.sh`);
  if (script) await writeFile(file, script, { mode: 0o600 });
  const heading = test?.name ? story.replace(HEADING, `${HEADING} of ${test.name}`) : story;
  process.stderr.write(`${heading}${script ? `${REPLAY}bash ${file}` : ""}\n`);
}

/** A test does not reject when a subtest fails, so each subtest prints what happened. */
function tellOfSubtests(mam, test) {
  const begin = test.test.bind(test);
  test.test = (...given) => {
    const place = given.findIndex((part) => typeof part === "function" && part.length < 2);
    const work = given[place];
    if (work) {
      given[place] = async (subtest) => {
        tellOfSubtests(mam, subtest);
        try {
          await work(subtest);
        } catch (error) {
          await tell(mam, subtest, error);
          throw error;
        }
      };
    }
    return begin(...given);
  };
}

export class Sandbox {
  #binary;
  #timeout;
  #joined = [];
  #network;
  #forgotten;

  static async start(options = {}) {
    const mam = new Sandbox(options);
    try {
      await mam.client.sandbox.story({ timeout: START });
    } catch (error) {
      await mam.#end(error);
      throw failure(mam.#binary, mam.client, error);
    }
    return mam;
  }

  constructor(given) {
    checkOptions(given);
    const { binary = process.env.MAMBRIDGE || "mambridge", timeout = 60_000, ...options } = given;
    this.#binary = binary.includes("/") ? resolve(binary) : binary;
    this.#timeout = timeout;
    this.client = Client.spawn(this.#binary, commandLine(options), { timeout, unref: true });
    const names = Object.getOwnPropertyNames(Sandbox.prototype).filter((name) => !NO_VERBS.includes(name));
    this.#forgotten = rememberAwaited(this, names);
  }

  // Administrators

  async policy(audience, settings, { checkIn = true, ...options } = {}) {
    await this.client.sandbox.setPolicy(fullName(audience), settings, options);
    if (checkIn) await this.checkIn();
  }

  async configuration(audience, settings, { checkIn = true, ...options } = {}) {
    await this.client.sandbox.setConfiguration(fullName(audience), settings, options);
    if (checkIn) await this.checkIn();
  }

  async setUser(name, { checkIn = true, ...options } = {}) {
    await this.client.sandbox.setUser(fullName(name), options);
    if (checkIn) await this.checkIn();
  }

  /** The account learns of the wipe at a check-in. Moving the clock by nothing runs what is due: the wipe. */
  async wipe(user, options = {}) {
    const statuses = await this.client.sandbox.wipe(fullName(user), { ...options, push: true });
    const missed = statuses.find(({ status }) => NOT_ENROLLED.includes(status));
    if (missed && !this.#network) throw notEnrolled(missed);
    await this.client.debug.advanceClock(0);
  }

  // The user, the device and the time

  async enroll(user = "alice") {
    const status = await this.client.enrollmentManager.registerAndEnrollAccount(fullName(user));
    if (status.errorString?.startsWith(UNLISTED)) throw notEnrolled(status);
    return status;
  }

  checkIn(user) {
    return this.client.tenant.checkIn({ account: user && fullName(user) });
  }

  user(answers) {
    return this.client.sandbox.answer(answers);
  }

  device(properties) {
    return this.client.device.set(properties);
  }

  offline() {
    return this.device({ networkAvailable: false });
  }

  online() {
    return this.device({ networkAvailable: true });
  }

  fault(at, kind, options) {
    return this.client.sandbox.fault(at, kind, options);
  }

  clearFaults() {
    return this.client.sandbox.clearFaults();
  }

  advance(amounts) {
    if (typeof (amounts ?? 0) !== "object") throw new TypeError(`the clock moves by { days: 91 }, not by ${amounts}`);
    const unknown = Object.keys(amounts).find((unit) => !Object.hasOwn(UNITS, unit));
    if (unknown) throw new TypeError(`the clock does not move by ${unknown}, but by ${Object.keys(UNITS).join(", ")}`);
    const parts = Object.entries(amounts).map(([unit, amount]) => amount * UNITS[unit]);
    return this.client.debug.advanceClock(parts.reduce((sum, part) => sum + part, 0));
  }

  // What happened

  async waitFor(event, { user, timeout = PATIENCE } = {}) {
    const { entry, text } = await this.client.sandbox.waitForEvent(
      event, { account: user && fullName(user), milliseconds: timeout, timeout: timeout + MARGIN });
    if (!entry) throw new AssertionError({ message: text });
    return readEvent(entry.type, entry.params);
  }

  assertBlocked(setting) {
    return this.#expect("blocked", setting);
  }

  assertAllowed() {
    return this.#expect("allowed");
  }

  async #expect(outcome, setting) {
    const { isMet, text } = await this.client.sandbox.expect(outcome, { setting });
    if (!isMet) throw new AssertionError({ message: text });
  }

  async story() {
    return (await this.client.sandbox.report()).story;
  }

  async replay() {
    return (await this.client.sandbox.report()).replay;
  }

  async report(failure) {
    try {
      return (await this.client.sandbox.report({ failure, timeout: REPORT })).text;
    } catch (error) {
      await this.#end(error);
      return `The story is lost: ${error.message}`;
    }
  }

  // The state

  async save(name) {
    await this.client.sandbox.save(name);
  }

  async restore(name) {
    await this.client.sandbox.restore(name);
  }

  async reset() {
    await this.client.sandbox.reset();
  }

  environment() {
    return this.client.sandbox.environment();
  }

  async join({ env, ...options } = {}) {
    const joined = { ...(await this.environment()), ...env };
    const client = Client.spawn(this.#binary, [], { timeout: this.#timeout, unref: true, ...options, env: joined });
    this.#joined.push(client);
    return client;
  }

  async network() {
    if (!this.#network) {
      const served = await this.client.sandbox.network();
      this.#network ??= new Network(this.client, served, this.#binary, this.#timeout); // Another call may have been faster.
    }
    return this.#network;
  }

  // The end

  /** Fails if a verb was never awaited, as the end of a test does. */
  checkAwaited() {
    const forgotten = this.#forgotten();
    if (forgotten) throw new AssertionError({ message: forgotten });
  }

  async close() {
    try {
      await this.#network?.close();
      for (const client of this.#joined.splice(0)) await client.close();
    } finally {
      await this.client.close();
    }
    this.checkAwaited();
  }

  /** A sandbox has nothing to finish: one that does not answer is ended at once. */
  async #end(error) {
    if (error instanceof DeadlineExceeded) process.kill(this.client.pid, "SIGKILL");
    await this.close();
  }
}

function commandLine({ seed = "sample", at, settings = {}, appId }) {
  const list = ["sandbox", "--seed", seed];
  if (at !== undefined) list.push("--at", at instanceof Date ? at.toISOString() : at);
  for (const [name, value] of Object.entries(settings)) list.push("--set", `${name}=${value}`);
  if (appId !== undefined) list.push("--app-id", appId);
  return list;
}

function checkOptions(given) {
  if (typeof given !== "object") throw new TypeError(`options must be an object, such as { seed }, not ${typeof given}`);
  const unknown = Object.keys(given).find((name) => !OPTIONS.includes(name));
  if (unknown === undefined) return;
  const [nearest] = OPTIONS.filter((name) => Math.abs(name.length - unknown.length) < 3)
    .sort((one, other) => distance(one, unknown) - distance(other, unknown));
  throw new TypeError(`no option ${unknown}; ${nearest ? `did you mean ${nearest}?` : `there are ${OPTIONS.join(", ")}`}`);
}

/** How many letters to add, drop or change. */
function distance([first, ...rest], [other, ...others]) {
  if (first === undefined || other === undefined) return (first ? 1 + rest.length : 0) + (other ? 1 + others.length : 0);
  if (first === other) return distance(rest, others);
  return 1 + Math.min(distance(rest, others), distance([first, ...rest], others), distance(rest, [other, ...others]));
}

function notEnrolled({ identity, errorString }) {
  return new AssertionError({ message: `${identity} is not enrolled: ${errorString}` });
}

/** Why a sandbox has not started. */
function failure(binary, client, error) {
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

/** Rejects when the signal aborts, as that of a test does that takes too long. */
function abort(signal) {
  return new Promise((_, reject) => {
    if (signal?.aborted) reject(signal.reason);
    signal?.addEventListener("abort", () => reject(signal.reason), { once: true });
  });
}
