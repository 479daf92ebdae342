/*
 * The tenant of a sandbox over the network: a tenant service, Graph and an identity provider on this machine.
 */
import { execFile, spawn } from "node:child_process";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { request } from "node:https";
import { dirname, resolve } from "node:path";
import { createInterface } from "node:readline";

import { Client } from "./client.js";
import { SandboxError, fullName } from "./testing.js";

// In milliseconds: how long the start and the end may take.
const START = 30_000;
const END = 20_000;
// How many requests a report has.
const LAST = 20;

export class Network {
  #binary;
  #timeout;
  #program;
  #process;
  #ended;
  #log = "";
  #trusted;
  #state;
  #clients = [];
  #joined = 0;

  static async start(tenant, binary, timeout) {
    const network = new Network(binary, timeout);
    await network.#start(tenant);
    return network;
  }

  constructor(binary, timeout) {
    this.#binary = binary;
    this.#timeout = timeout;
    const program = process.env.MAMBRIDGE_TENANT_PROGRAM || "mambridge-tenant";
    this.#program = program.includes("/") ? resolve(program) : program;
  }

  async #start(tenant) {
    const options = ["dev", "--ephemeral", "--json", "--until-stdin-ends", "--tenant", tenant];
    this.#process = spawn(this.#program, options);
    this.#process.stdin.on("error", () => {});
    this.#process.stderr.setEncoding("utf8").on("data", (text) => (this.#log += text));
    this.#ended = new Promise((end) => this.#process.once("error", end).once("close", () => end()));
    const line = new Promise((read) => createInterface(this.#process.stdout).once("line", read));
    const late = setTimeout(() => this.#process.kill("SIGKILL"), START);
    const said = await Promise.race([line, this.#ended]);
    clearTimeout(late);
    if (said instanceof Error) {
      const reason = said.code === "ENOENT" ? "there is no such program" : said.message;
      throw new SandboxError(`cannot start ${this.#program}: ${reason}. Install mambridge-tenant, or name the program ` +
        "with MAMBRIDGE_TENANT_PROGRAM in the environment");
    }
    try {
      await this.#read(JSON.parse(said));
    } catch (error) {
      this.#process.kill("SIGKILL");
      await this.#ended;
      throw new SandboxError(
        `${this.#program} does not serve a development tenant: ${this.#log.trim() || error.message}`);
    }
  }

  async #read({ service, authority, clientId, graph, certificate, tenantId, secretFile, state }) {
    Object.assign(this, { url: service, authority, clientId, graph, certificate, tenantId });
    this.secret = JSON.parse(await readFile(secretFile)).secret;
    this.#trusted = await readFile(certificate);
    this.#state = state;
    this.environment = { SSL_CERT_FILE: certificate };
    if (this.#program.includes("/")) this.environment.MAMBRIDGE_LIBEXEC = dirname(this.#program);
  }

  // Apps

  token(user) {
    const options = ["dev-token", fullName(user), "--service", this.url];
    return new Promise((done, fail) => execFile(this.#program, options, (error, said, wrong) =>
      error ? fail(new SandboxError(wrong.trim() || error.message)) : done(said.trim())));
  }

  async join(user = "alice", { env, ...options } = {}) {
    const state = `${this.#state}-${++this.#joined}`;
    await mkdir(state, { mode: 0o700 });
    // A state without this mark gives a development tenant nothing.
    await writeFile(`${state}/development`, "");
    const token = `'${this.#program}' dev-token '${fullName(user)}' --service '${this.url}'`;
    const client = Client.spawn(
      this.#binary, ["--tenant", this.url, "--state", state, "--token-command", token],
      { timeout: this.#timeout, ...options, env: { ...this.environment, ...env } });
    this.#clients.push(client);
    return client;
  }

  // Control

  async reload() {
    await this.#control("POST", "reload");
  }

  async fault(at, kind, options = {}) {
    await this.#control("POST", "faults", { at, kind, ...options });
  }

  async clearFaults() {
    await this.#control("DELETE", "faults");
  }

  async requests() {
    return JSON.parse(await this.#control("GET", "requests")).requests;
  }

  async #control(method, path, body) {
    const answer = await this.send(method, `/dev/${path}`, this.secret, body);
    if (answer.status >= 400) throw new SandboxError(JSON.parse(answer.body).error.message);
    return answer.body;
  }

  send(method, path, token, body) {
    const headers = { Authorization: `Bearer ${token}`, "Content-Type": "application/json" };
    const options = { method, headers, ca: this.#trusted, agent: false, timeout: this.#timeout };
    return new Promise((done, fail) => {
      const sent = request(this.url + path, options, async (answer) => {
        try {
          const body = (await answer.toArray()).join("");
          done({ status: answer.statusCode, body });
        } catch (error) {
          fail(error);
        }
      });
      sent.on("error", fail).on("timeout", () => sent.destroy(new Error(`no answer within ${this.#timeout} ms`)));
      sent.end(body === undefined ? "" : JSON.stringify(body));
    });
  }

  // The end

  log() {
    return this.#log;
  }

  async report() {
    try {
      const requests = (await this.requests()).filter(({ path }) => !path.startsWith("/dev/"));
      return ["--- the last requests to the network", ...requests.slice(-LAST).map(line)].join("\n");
    } catch (error) {
      return `The requests are lost: ${error.message}\n${this.#log}`;
    }
  }

  async close() {
    for (const client of this.#clients.splice(0)) await client.close();
    const late = setTimeout(() => this.#process.kill("SIGKILL"), END);
    this.#process.stdin.end();
    await this.#ended;
    clearTimeout(late);
  }
}

function line({ method, path, who, status, fault, why }) {
  return `${method} ${path}${who ? ` by ${who}` : ""}: ${status}${fault || why ? `, ${fault || why}` : ""}`;
}
