/*
 * The tenant of a sandbox over the network: a tenant service, Graph and an identity provider on this machine.
 */
import { Client } from "./client.js";
import { fullName } from "./testing.js";

export class Network {
  #sandbox;
  #binary;
  #timeout;
  #apps = [];

  constructor(client, served, binary, timeout) {
    this.#sandbox = client.sandbox;
    this.#binary = binary;
    this.#timeout = timeout;
    Object.assign(this, served);
  }

  token(user) {
    return this.#sandbox.networkToken(fullName(user));
  }

  async join(user = "alice", { env, ...options } = {}) {
    const app = await this.#sandbox.networkApp(fullName(user));
    const client = Client.spawn(
      this.#binary, app.arguments, { timeout: this.#timeout, unref: true, ...options, env: { ...app.environment, ...env } });
    this.#apps.push(client);
    return client;
  }

  fault(at, kind, options) {
    return this.#sandbox.networkFault(at, kind, options);
  }

  clearFaults() {
    return this.#sandbox.clearNetworkFaults();
  }

  requests() {
    return this.#sandbox.networkRequests();
  }

  send(method, path, token, body) {
    return this.#sandbox.networkSend(
      method, path, { token, body: body === undefined ? undefined : JSON.stringify(body) });
  }

  log() {
    return this.#sandbox.networkLog();
  }

  /** Ends what has joined. The network ends with the sandbox. */
  async close() {
    for (const client of this.#apps.splice(0)) await client.close();
  }
}
