/*
 * The tenant of a sandbox over the network: a tenant service, Graph and an identity provider on this machine.
 */
import { fullName } from "./setup.js";

export class Network {
  #sandbox;
  #begin;

  constructor(client, served, begin) {
    this.#sandbox = client.sandbox;
    this.#begin = begin;
    Object.assign(this, served);
  }

  token(user) {
    return this.#sandbox.networkToken(fullName(user));
  }

  async join(user = "alice", { env, ...options } = {}) {
    const app = await this.#sandbox.networkApp(fullName(user));
    return this.#begin(app.arguments, { ...options, env: { ...app.environment, ...env } });
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
}
