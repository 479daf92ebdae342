/*
 * Connections to a server: the pipes of a child process, or a socket. Each has `input`, which takes messages, `output`,
 * which returns them, `ended`, a promise of the error that says why the connection ended, and `stop`, which ends it.
 */
import { spawn } from "node:child_process";
import { readFile } from "node:fs/promises";
import net from "node:net";
import { constants } from "node:os";
import { PassThrough } from "node:stream";

import { ConnectionLost } from "./failures.js";
import { Outgoing } from "./outgoing.js";

// How long a server may take to finish after the end of its input, and to exit after SIGTERM or SIGKILL.
const FINISH = 35_000;
const AFTER_SIGNAL = 5_000;
const CONNECT = 10_000;
const LAST_LINES = 20;
// With the value "own", the server leaves the process group of this program.
const GROUP_VARIABLE = "MAMBRIDGE_PROCESS_GROUP";

/** A child process. Keeps its last lines on stderr. */
export class Child {
  #executable;
  #process;
  #stderr = "";

  constructor(executable, args, { cwd, env, ownProcessGroup = true } = {}) {
    this.#executable = executable;
    const group = ownProcessGroup ? { [GROUP_VARIABLE]: "own" } : {};
    this.#process = spawn(executable, args, { cwd, env: { ...group, ...process.env, ...env }, stdio: "pipe" });
    // Without a free file descriptor, Node creates no pipes, and reports the error afterwards.
    const { stdin = new PassThrough(), stdout = new PassThrough(), stderr = new PassThrough() } = this.#process;
    this.input = new Outgoing(stdin);
    this.output = stdout;
    stderr.setEncoding("utf8").on("data", (text) => this.#keep(text));
    this.ended = this.#watch();
  }

  get pid() {
    return this.#process.pid;
  }

  get exitCode() {
    return this.#process.exitCode;
  }

  /** Ends the input, and ends a child that does not exit then. */
  async stop() {
    this.input.end();
    if (await this.#exits(FINISH)) return;
    this.#process.kill("SIGTERM");
    if (await this.#exits(AFTER_SIGNAL)) return;
    this.#process.kill("SIGKILL");
    if (!(await this.#exits(AFTER_SIGNAL))) this.output.destroy();
  }

  /** Whether this child keeps Node running. */
  hold(isHeld) {
    for (const part of [this.#process, ...(this.#process.stdio ?? [])]) isHeld ? part?.ref?.() : part?.unref?.();
  }

  #keep(text) {
    this.#stderr = (this.#stderr + text).slice(-65_536);
    const lines = this.#stderr.split("\n");
    this.#stderr = lines.slice(-LAST_LINES - 1).join("\n");
  }

  /** All output has arrived when the child is closed. A grandchild may hold its pipes open, but not for long. */
  #watch() {
    return new Promise((resolve) => {
      const report = () => {
        for (const stream of this.#process.stdio ?? []) stream.destroy();
        resolve(this.#lost());
      };
      this.#process.once("error", (error) => resolve(this.#notStarted(error)));
      this.#process.once("close", report);
      this.#process.once("exit", () => setTimeout(report, 1_000).unref());
      this.output.once("close", () => setTimeout(report, AFTER_SIGNAL).unref());
    });
  }

  #lost() {
    const { exitCode, signalCode: signal } = this.#process;
    const lastLines = this.#stderr.split("\n").map((line) => line.trimEnd()).filter((line) => line);
    const details = { exitCode, signal, lastLines };
    if (signal) return new ConnectionLost(`mambridge was killed by signal ${constants.signals[signal]} (${signal})`, details);
    if (exitCode === null) return new ConnectionLost("mambridge closed its output but is still running", details);
    return new ConnectionLost(`mambridge exited with code ${exitCode}`, details);
  }

  #notStarted(error) {
    return new ConnectionLost(`cannot start ${this.#executable}: ${error.message}`);
  }

  #exits(milliseconds) {
    const { pid, exitCode, signalCode } = this.#process;
    if (pid === undefined || exitCode !== null || signalCode !== null) return true;
    return happens(this.#process, "exit", milliseconds);
  }
}

/** A TCP or unix socket connection. */
export class Socket {
  #socket;

  constructor(socket) {
    this.#socket = socket;
    this.input = new Outgoing(socket);
    this.output = socket;
    this.ended = new Promise((resolve) => {
      let reason = "mambridge closed the connection";
      socket.on("error", (error) => (reason += ` (${error.code ?? error.message})`));
      socket.once("end", () => socket.end());
      socket.once("close", () => resolve(new ConnectionLost(reason)));
    });
  }

  async stop() {
    this.input.end();
    if (!this.#socket.closed) await happens(this.#socket, "close", FINISH);
    this.#socket.destroy();
  }
}

/** Connects to `unix:///PATH` or `tcp://HOST:PORT`. */
export function openSocket(address) {
  const socket = net.connect({ ...place(address), allowHalfOpen: true, noDelay: true });
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => socket.destroy(new Error(`no connection to ${address} within 10 s`)), CONNECT);
    socket.once("close", () => clearTimeout(timer));
    socket.once("error", reject);
    socket.once("connect", () => {
      clearTimeout(timer);
      socket.off("error", reject);
      resolve(new Socket(socket));
    });
  });
}

function place(address) {
  if (address.startsWith("unix://")) return { path: address.slice("unix://".length) };
  const found = /^(?:tcp:\/\/)?(.+):(\d+)$/.exec(address);
  if (!found) throw new TypeError(`${address} is no address; use tcp://HOST:PORT or unix:///PATH`);
  return { host: found[1].replace(/^\[|\]$/g, ""), port: Number(found[2]) };
}

export async function readToken(file) {
  return (await readFile(file, "ascii")).trim();
}

/** Waits for an event, and returns whether it came in time. */
function happens(emitter, event, milliseconds) {
  return new Promise((resolve) => {
    const timer = setTimeout(() => resolve(false), milliseconds);
    emitter.once(event, () => {
      clearTimeout(timer);
      resolve(true);
    });
  });
}
