// The client with a peer that misbehaves, the fake.py of the Python client, and with sockets.
import assert from "node:assert/strict";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import net from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { inspect } from "node:util";

import { Client, ConnectionLost, errors, MambridgeError, readEvent, UnexpectedReply } from "mambridge";

const FAKE = fileURLToPath(new URL("../../python/tests/fake.py", import.meta.url));

/** A test with a client of the fake peer. */
function withFake(name, options, work) {
  test(name, { timeout: 60_000 }, async () => {
    const client = Client.spawn("python3", [FAKE], options);
    try {
      await work(client);
    } finally {
      await client.close();
    }
  });
}

withFake("a reply may come in pieces", {}, async (client) => {
  assert.equal(await client.call("torn"), "whole ü");
});

withFake("replies may come in any order", {}, async (client) => {
  const calls = [1, 2, 3].map((value) => client.call("hold", { value }));
  assert.equal(await client.call("release", { value: 4 }), 4);
  assert.deepEqual(await Promise.all(calls), [1, 2, 3]);
});

withFake("an error has its class, and its hint and data", {}, async (client) => {
  const error = await client.call("refuse").catch((found) => found);
  assert(error instanceof errors.PolicyRequired && error instanceof MambridgeError && error instanceof Error);
  const { name, code, hint, retryable } = error;
  assert.deepEqual([name, code, hint, retryable], ["policyRequired", 4001, "enroll first", true]);
  assert.match(inspect(error), /^policyRequired: no policy yet\n[^]*client\.test\.js/);
});

withFake("an error without an id ends the longest call", {}, async (client) => {
  const shorter = client.call("hold", { value: 1 });
  const longest = client.call("hold", { value: "x".repeat(1000) });
  client.call("nameless").catch(() => {});
  await assert.rejects(longest, { code: -32004 });
  await client.call("release", { value: 2 });
  assert.equal(await shorter, 1);
});

withFake("what is not given is not sent", {}, async (client) => {
  await assert.rejects(
    client.initialize({ locale: null, client: undefined, sdkLevel: 21, timeout: 1500 }), UnexpectedReply);
  const [sent] = await client.call("seen");
  assert.deepEqual(sent.params, { sdkLevel: 21, _meta: { timeoutMilliseconds: 1500 } });
});

const silent = { promptForPIN: () => ({}), showAlert: undefined };
withFake("a host declares what it answers", { host: silent }, async (client) => {
  await assert.rejects(client.initialize(), UnexpectedReply);
  const [sent] = await client.call("seen");
  assert.deepEqual(sent.params, { delegates: ["ui.promptForPIN"] });
});

withFake("progress is heard before the end, and a handler that fails stops nothing", {}, async (client) => {
  const heard = [];
  const warned = once(process, "warning");
  const onProgress = ({ percentage }) => {
    heard.push(percentage);
    if (percentage === 50) throw new Error("planted");
  };
  await client.call("progress", {}, { onProgress });
  assert.deepEqual(heard, [50, 100]);
  assert.match(String((await warned)[0]), /planted/);
});

/** Lets the fake ask the host, and returns the answer on the wire. */
async function ask(client, method, params) {
  await client.call("ask", { method, params });
  for (;;) {
    const answer = (await client.call("seen")).find((message) => message.id === "s1");
    if (answer) return answer;
    await sleep(20);
  }
}

const PIN = { challenge: { id: "1", kind: "enterPIN", title: "", message: "" } };

withFake("an unknown request is not found", { host: {} }, async (client) => {
  assert.equal((await ask(client, "ui.danceForUser", {})).error.code, -32601);
});

withFake("a request that cannot be read is invalid", { host: { promptForPIN: () => ({}) } }, async (client) => {
  assert.equal((await ask(client, "ui.promptForPIN", {})).error.code, -32602);
});

const failing = { promptForPIN: () => { throw new Error("secret 2580"); } };
withFake("the text of a handler's error stays here", { host: failing }, async (client) => {
  const warned = once(process, "warning");
  const { error } = await ask(client, "ui.promptForPIN", PIN);
  assert.equal(error.code, -32603);
  assert.doesNotMatch(JSON.stringify(error), /2580/);
  await warned;
});

const refusing = { promptForPIN: async () => { throw new errors.Canceled(); } };
withFake("a handler refuses with a typed error", { host: refusing }, async (client) => {
  assert.equal((await ask(client, "ui.promptForPIN", PIN)).error.code, 7002);
});

withFake("events arrive in order, and an unknown one arrives, too", {}, async (client) => {
  const time = "2024-05-06T07:08:09.123Z";
  await client.call("afterwards", [
    { method: "policyManager.policyDidChange", params: { seq: 1, time } },
    { method: "tomorrow.happens", params: { seq: 2 } },
    { method: "policyManager.policyDidChange", params: { seq: 3 } },
  ]);
  const events = client.listen();
  const changed = { event: "policyManager.policyDidChange", seq: 1, time: new Date(time) };
  assert.deepEqual((await events.next()).value, changed);
  assert.deepEqual((await events.next()).value, { event: "unknown", name: "tomorrow.happens", params: { seq: 2 } });
  assert.equal((await events.next()).value.event, "unknown");
  await client.close();
  assert.equal((await events.next()).done, true);
});

withFake("listening ends with its signal", {}, async (client) => {
  await assert.rejects(client.listen({ signal: AbortSignal.timeout(50) }).next(), { name: "TimeoutError" });
});

withFake("a new value and a new member arrive, and a wrong result is an error", {}, async (client) => {
  assert.equal(await client.policyManager.mamPolicySource(), "aSourceOfTomorrow");
  assert.equal((await client.userStatusManager.userStatus()).clockStatus, "clockedIn");
  await assert.rejects(client.enrollmentManager.enrolledAccount(), UnexpectedReply);
  await assert.rejects(client.tenant.status(), /the result of tenant.status cannot be read: no member \w+/);
});

withFake("a cancel that nobody answers ends anyway", {}, async (client) => {
  const controller = new AbortController();
  const call = client.call("hold", {}, { signal: controller.signal });
  controller.abort(new Error("planted"));
  await assert.rejects(call, /planted/);
  await assert.rejects(client.call("echo", {}, { signal: controller.signal }), /planted/);
  assert.deepEqual((await client.call("seen"))[1], { jsonrpc: "2.0", method: "$/cancelRequest", params: { id: 1 } });
});

withFake("a deadline that the server does not keep ends anyway", { timeout: 100 }, async (client) => {
  await assert.rejects(client.call("hold"), errors.DeadlineExceeded);
  assert.equal(await client.call("torn"), "whole ü");
});

withFake("a value that JSON cannot hold is not sent", {}, async (client) => {
  await assert.rejects(client.settings.set({ SplashDuration: NaN }), RangeError);
  await assert.rejects(client.debug.advanceClock(1500.5), RangeError);
  await assert.rejects(client.dataProtectionManager.protect("text", "alice"), TypeError);
  await assert.rejects(client.diagnosticsLog.query({ since: new Date(NaN) }), RangeError);
  assert.equal(await client.call("torn"), "whole ü");
});

withFake("noise ends the connection", {}, async (client) => {
  await assert.rejects(client.call("noise"), /the server sent a line that is no message/);
  await assert.rejects(client.call("echo"), ConnectionLost);
});

withFake("a server that dies says why, to every call", {}, async (client) => {
  const waiting = client.call("hold", { value: 1 });
  for (const call of [client.call("die"), waiting]) {
    const message = /exited with code 74; its last lines on stderr: disk full: make room/;
    await assert.rejects(call, { exitCode: 74, message });
  }
});

withFake("a client shows neither calls nor params", {}, async (client) => {
  client.pin.set("2580", { timeout: 60_000 }).catch(() => {});
  assert.doesNotMatch(inspect(client, { depth: 10, showHidden: true }), /2580/);
});

test("a program that cannot start says so", async () => {
  const client = Client.spawn("/no/such/program");
  await assert.rejects(client.call("echo"), /cannot start \/no\/such\/program: .*ENOENT/);
  await client.close();
});

test("close ends a child that does not end", { timeout: 60_000 }, async () => {
  const client = Client.spawn("sh", ["-c", "exec 0<&- 1>&-; exec sleep 3"]);
  await assert.rejects(client.call("echo"), ConnectionLost);
  await client.close();
  assert.equal(client.exitCode, 0);
});

/** A listening socket that does with each connection what `serve` says. */
async function listening(place, serve, work) {
  const server = net.createServer({ allowHalfOpen: true }, serve);
  server.listen(place);
  await once(server, "listening");
  try {
    await work(server.address());
  } finally {
    server.close();
  }
}

function echo(socket) {
  socket.on("data", (data) => {
    const { id, method, params } = JSON.parse(String(data));
    if (method === "die") socket.destroy();
    else socket.write(`${JSON.stringify({ jsonrpc: "2.0", id, result: params })}\r\n`);
  });
  socket.on("end", () => socket.end());
}

test("a unix socket", { timeout: 20_000 }, async () => {
  const folder = await mkdtemp(join(tmpdir(), "mambridge-"));
  const path = join(folder, "socket");
  await listening(path, echo, async () => {
    const client = await Client.connect(`unix://${path}`);
    assert.deepEqual(await client.call("echo", { a: 1 }), { a: 1 });
    await assert.rejects(client.call("die"), /mambridge closed the connection/);
    await client.close();
  });
  await rm(folder, { recursive: true });
});

test("a TCP socket gets the token first", { timeout: 20_000 }, async () => {
  const folder = await mkdtemp(join(tmpdir(), "mambridge-"));
  await writeFile(join(folder, "token"), "00ff\n");
  await listening({ host: "127.0.0.1", port: 0 }, echo, async ({ port }) => {
    const client = await Client.connect(`tcp://127.0.0.1:${port}`, { tokenFile: join(folder, "token") });
    assert.deepEqual(await client.call("echo", { a: 1 }), { a: 1 });
    await client.close();
    await assert.rejects(client.call("echo"), ConnectionLost);
  });
  await rm(folder, { recursive: true });
});

test("a bad address, and one where nobody listens", async () => {
  await assert.rejects(Client.connect("nowhere"), /nowhere is no address; use tcp:\/\/HOST:PORT or unix:\/\/\/PATH/);
  await assert.rejects(Client.connect("unix:///no/such/socket"), /ENOENT/);
});

test("an entry of events.list is read", () => {
  const time = "2024-05-06T07:08:09Z";
  assert.equal(readEvent("policyManager.policyDidChange", { seq: 1, time }).time.getTime(), Date.parse(time));
  assert.deepEqual(readEvent("toString", {}), { event: "unknown", name: "toString", params: {} });
});
