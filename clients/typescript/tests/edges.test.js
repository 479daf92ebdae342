// The client with a peer that sends too much, or reads too little.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { getEventListeners, once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import net from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Writable } from "node:stream";
import test from "node:test";

import { Client, ConnectionLost, errors } from "mambridge";
import { EventQueue } from "../lib/event-queue.js";
import { Lines } from "../lib/lines.js";
import { Outgoing } from "../lib/outgoing.js";

const SERVER = process.env.MAMBRIDGE;
const CANCELLED = { code: -32800, message: "cancelled", data: { name: "cancelled" } };

/** A test with a client and the socket of its peer. */
function withPeer(name, options, work) {
  test(name, { timeout: 30_000 }, async () => {
    const server = net.createServer().listen({ host: "127.0.0.1", port: 0 });
    await once(server, "listening");
    const accepted = once(server, "connection");
    const client = await Client.connect(`tcp://127.0.0.1:${server.address().port}`, options);
    const [peer] = await accepted;
    try {
      await work(client, peer);
    } finally {
      peer.destroy();
      server.close();
      await client.close();
    }
  });
}

/** The next message of the client. A test writes one at a time. */
async function heard(peer) {
  return JSON.parse(String((await once(peer, "data"))[0]));
}

for (const text of ["{}", "null", "[null]", '{"jsonrpc":"2.0","result":true}', "5", '{"id":1']) {
  withPeer(`${text} is no message, and ends no call as its reply`, {}, async (client, peer) => {
    const call = client.call("echo");
    peer.write(`${text}\n`);
    await assert.rejects(call, { name: "ConnectionLost", reason: "the server sent a line that is no message" });
  });
}

withPeer("all calls and listeners share one listener of their signal, and leave none", {}, async (client, peer) => {
  const warnings = [];
  const warn = (warning) => warnings.push(warning);
  process.on("warning", warn);
  const { signal } = new AbortController();
  peer.resume();
  const calls = Array.from({ length: 50 }, () => client.call("hold", {}, { signal }));
  const events = Array.from({ length: 20 }, () => client.listen({ signal }).next());
  assert.equal(getEventListeners(signal, "abort").length, 1);
  for (let id = 1; id <= 50; id++) peer.write(`${JSON.stringify({ id, result: id })}\n`);
  assert.equal((await Promise.all(calls)).length, 50);
  assert.equal(getEventListeners(signal, "abort").length, 1);
  peer.end();
  await Promise.all(events);
  assert.equal(getEventListeners(signal, "abort").length, 0);
  process.off("warning", warn);
  assert.deepEqual(warnings, []);
});

withPeer("a signal aborts all that share it, and what comes later", {}, async (client, peer) => {
  const controller = new AbortController();
  const { signal } = controller;
  peer.on("data", (text) => {
    for (const { method, params } of String(text).trim().split("\n").map(JSON.parse)) {
      if (method === "$/cancelRequest") peer.write(`${JSON.stringify({ id: params.id, error: CANCELLED })}\n`);
    }
  });
  peer.resume();
  const ends = Array.from({ length: 20 }, () => client.call("hold", {}, { signal }).catch((reason) => reason.message));
  const event = client.listen({ signal }).next().catch((reason) => reason.message);
  await new Promise(setImmediate);
  controller.abort(new Error("planted"));
  assert.equal(await event, "planted");
  assert.deepEqual(new Set(await Promise.all(ends)), new Set(["planted"]));
  assert.equal(getEventListeners(signal, "abort").length, 0);
  await assert.rejects(client.call("hold", {}, { signal }), /planted/);
});

withPeer("a reply that nobody waits for is dropped", {}, async (client, peer) => {
  const call = client.call("echo");
  for (const id of [99, "1", 1.5, true]) peer.write(`${JSON.stringify({ id, error: { code: 1, message: "not yours" } })}\n`);
  peer.write('{"id":1,"result":"yours"}\n');
  assert.equal(await call, "yours");
});

for (const thrown of [new errors.Canceled("no", { number: NaN }), null, Symbol("odd")]) {
  const options = { host: { restartApplication: () => { throw thrown; } } };
  withPeer(`a host that throws ${String(thrown)} answers`, options, async (client, peer) => {
    const warned = once(process, "warning");
    peer.write('{"id":"s1","method":"policyDelegate.restartApplication"}\n');
    assert.equal((await heard(peer)).error.code, -32603);
    await warned;
  });
}

withPeer("a call without a timeout of its own has that of the client", { timeout: 1234 }, async (client, peer) => {
  const call = client.call("echo", {}, { timeout: undefined });
  const { id, params } = await heard(peer);
  assert.equal(params._meta.timeoutMilliseconds, 1234);
  peer.write(`{"id":${id},"result":null}\n`);
  await call;
});

test("a program without free file descriptors gets an error, and goes on", () => {
  const program = `
    import { openSync } from "node:fs";
    import { Client } from ${JSON.stringify(new URL("../lib/index.js", import.meta.url))};
    try { for (;;) openSync("/dev/null"); } catch {}
    const client = Client.spawn("sleep", ["1"]);
    await client.call("echo").catch(({ name, message }) => console.log(name, message));
    await client.close();`;
  const done = spawnSync("sh", ["-c", 'ulimit -n 64; exec "$0" --input-type=module -e "$1"', process.execPath, program]);
  assert.match(String(done.stdout), /^ConnectionLost cannot start sleep: .*EMFILE/, String(done.stderr));
  assert.equal(done.status, 0);
});

test("a line has a greatest length", () => {
  const lines = new Lines(10);
  assert.deepEqual([...lines.of(Buffer.from("123"))], []);
  assert.deepEqual([...lines.of(Buffer.from("4567890\n\na"))], ["1234567890", ""]);
  assert.throws(() => [...lines.of(Buffer.from("1234567890"))], ConnectionLost);
});

test("a peer that does not authenticate holds nobody up", { timeout: 30_000 }, async () => {
  const server = net.createServer().listen({ host: "127.0.0.1", port: 0 });
  await once(server, "listening");
  const accepted = once(server, "connection");
  const folder = await mkdtemp(join(tmpdir(), "mambridge-"));
  await writeFile(join(folder, "token"), "00ff\n");
  const address = `tcp://127.0.0.1:${server.address().port}`;
  await assert.rejects(Client.connect(address, { tokenFile: join(folder, "token") }), errors.DeadlineExceeded);
  (await accepted)[0].destroy();
  server.close();
  await rm(folder, { recursive: true });
});

test("a stream that does not drain gets one message, and the rest can be withdrawn", () => {
  const stream = new Writable({ highWaterMark: 4, write() {} });
  const outgoing = new Outgoing(stream);
  for (const key of [1, 2, 3]) outgoing.write(Buffer.alloc(8), key);
  outgoing.end();
  assert.deepEqual([stream.writableLength, stream.writableEnded], [8, false]);
  assert.deepEqual([1, 2, 3, 3].map((key) => outgoing.withdraw(key)), [false, true, true, false]);
});

test("what waits is written in order before the end", async () => {
  const written = [];
  const stream = new Writable({ highWaterMark: 1, write(chunk, _, done) { written.push(String(chunk)); setImmediate(done); } });
  const outgoing = new Outgoing(stream);
  for (const text of ["a", "b", "c"]) outgoing.write(Buffer.from(text));
  outgoing.end();
  await once(stream, "finish");
  assert.deepEqual(written, ["a", "b", "c"]);
});

test("a stopped server holds no call past its timeout", { timeout: 60_000, skip: !SERVER && "MAMBRIDGE names no server" }, async () => {
  const state = await mkdtemp(join(tmpdir(), "mambridge-"));
  const client = Client.spawn(SERVER, ["--tenant", "sample", "--state", state]);
  await client.versionInfo.sdkVersion();
  process.kill(client.pid, "SIGSTOP");
  const begin = Date.now();
  const controller = new AbortController();
  const text = "x".repeat(1 << 20);
  const sent = client.call("x", { text }, { timeout: 100 });
  const unsent = client.call("x", { text }, { signal: controller.signal });
  controller.abort(new Error("planted"));
  await assert.rejects(unsent, /planted/);
  assert(Date.now() - begin < 4_000);
  await assert.rejects(sent, errors.DeadlineExceeded);
  assert(Date.now() - begin < 10_000);
  process.kill(client.pid, "SIGKILL");
  await client.close();
  await rm(state, { recursive: true });
});

test("events that nobody reads are bounded", async () => {
  const queue = new EventQueue();
  for (let seq = 1; seq <= 30_000; seq++) queue.put({ event: "policyManager.policyDidChange", seq });
  queue.end();
  const [gap, ...events] = await all(queue);
  assert.deepEqual(gap, { event: "events.gap", after: 0, to: 20_000 });
  assert.deepEqual(events.map(({ seq }) => seq), Array.from({ length: 10_000 }, (_, index) => 20_001 + index));
});

test("a gap covers gaps of the server, and no event without a number", async () => {
  const queue = new EventQueue();
  queue.put({ event: "logger.log", level: "info", message: "m" });
  queue.put({ event: "events.gap", after: 11, to: 57 });
  queue.put({ event: "unknown", name: "news.ofTomorrow", params: { seq: 58 } });
  queue.put({ event: "unknown", name: "broken", params: 5 });
  for (let index = 0; index < 10_000; index++) queue.put({ event: "logger.log" });
  queue.end();
  const [gap, event] = await all(queue);
  assert.deepEqual([gap, event.event], [{ event: "events.gap", after: 11, to: 58 }, "logger.log"]);
});

async function all(queue) {
  const found = [];
  for await (const event of queue.listen()) found.push(event);
  return found;
}
