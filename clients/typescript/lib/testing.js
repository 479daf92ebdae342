/*
 * A sandbox for each test of an app: a fresh tenant, a clock that stands still, and a user who answers.
 */
import { AssertionError } from "node:assert";
import { resolve } from "node:path";

import { rememberAwaited } from "./awaited.js";
import { Client, readEvent } from "./client.js";
import { DeadlineExceeded } from "./errors.js";
import { Network } from "./network.js";
import { checkOptions, commandLine, failure, fullName } from "./setup.js";
import { runner } from "./test-runner.js";

export { SandboxError, fullName } from "./setup.js";

// In milliseconds: how long `waitFor` waits, and how long the first answer and a report may take.
const PATIENCE = 10_000;
const START = 30_000;
const REPORT = 5_000;
// How much longer than its wait a call may take.
const MARGIN = 30_000;
const UNITS = { days: 86_400_000, hours: 3_600_000, minutes: 60_000, seconds: 1_000 };

// Methods that need not be awaited by the test.
const NO_VERBS = ["constructor", "close", "report", "checkAwaited"];
// How mambridge begins the text about a user whom the tenant does not list.
const UNLISTED = "The tenant does not list this user.";
// The statuses of a wipe of an account that is not enrolled.
const NOT_ENROLLED = ["appNotEnrolled", "notEnrolledAccount"];

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
    return this.#begin([], { ...options, env: joined });
  }

  /** Starts a server that ends with the sandbox. */
  #begin(given, options) {
    const client = Client.spawn(this.#binary, given, { timeout: this.#timeout, unref: true, ...options });
    this.#joined.push(client);
    return client;
  }

  async network() {
    if (!this.#network) {
      const served = await this.client.sandbox.network();
      // Another call may have been faster.
      this.#network ??= new Network(this.client, served, (...given) => this.#begin(...given));
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

function notEnrolled({ identity, errorString }) {
  return new AssertionError({ message: `${identity} is not enrolled: ${errorString}` });
}

export const withSandbox = runner((options) => Sandbox.start(options));
